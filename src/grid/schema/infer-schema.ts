// Infers the schema of a region from some of its documents: members, their types, distinct counts,
// min and max, and the most frequent values. Values stay text, so that no digit is lost.

import { type JsonKind, kindOfJson, listMembers, splitArray } from '../../value/json-text.ts';

export interface FieldSchema {
  /** `address.city`; the elements of a list are `items[]`. */
  readonly path: string;
  /** Number of documents that have it; within a list, number of values. */
  readonly present: number;
  readonly kinds: Readonly<Partial<Record<JsonKind, number>>>;
  /** Different values that were seen; `isMore` when there were too many to count. */
  readonly distinct: { readonly count: number; readonly isMore: boolean };
  /** JSON texts of numbers, or of strings if there are no numbers. */
  readonly least: string | undefined;
  readonly greatest: string | undefined;
  /** JSON texts of values that occur more than once, the most frequent first. */
  readonly frequent: readonly { readonly value: string; readonly count: number }[];
  /** How many numbers lie in each of ten equal parts from the least to the greatest. */
  readonly histogram: readonly number[] | undefined;
}

export interface RegionSchema {
  readonly sampled: number;
  readonly fields: readonly FieldSchema[];
  /** Whether there are more paths than are listed. */
  readonly isCut: boolean;
}

const MAX_FIELDS = 500;
const MAX_DEPTH = 12;
const MAX_DISTINCT = 1000;
const MAX_FREQUENT = 10;
const LONGEST_VALUE = 200;
const BINS = 10;

/** The least and the greatest of some values, as JSON texts. */
class TextRange<Key extends number | string> {
  least: string | undefined;
  greatest: string | undefined;
  #leastKey: Key | undefined;
  #greatestKey: Key | undefined;

  add(text: string, key: Key): void {
    if (this.#leastKey === undefined || key < this.#leastKey) {
      this.least = text;
      this.#leastKey = key;
    }
    if (this.#greatestKey === undefined || key > this.#greatestKey) {
      this.greatest = text;
      this.#greatestKey = key;
    }
  }
}

class FieldRecord {
  present = 0;
  readonly kinds: Partial<Record<JsonKind, number>> = {};
  readonly #counts = new Map<string, number>();
  readonly #numbers: number[] = [];
  #isMore = false;
  readonly #numberRange = new TextRange<number>();
  readonly #stringRange = new TextRange<string>();

  add(text: string, kind: JsonKind): void {
    this.present += 1;
    this.kinds[kind] = (this.kinds[kind] ?? 0) + 1;
    if (kind === 'object' || kind === 'array') return;
    this.#count(text.length > LONGEST_VALUE ? text.slice(0, LONGEST_VALUE) : text);
    if (kind === 'number') {
      this.#numbers.push(Number(text));
      this.#numberRange.add(text, Number(text));
    } else if (kind === 'string' && text.length <= LONGEST_VALUE) this.#stringRange.add(text, text);
  }

  describe(path: string): FieldSchema {
    const frequent = [...this.#counts]
      .filter(([, count]) => count > 1)
      .sort(([, a], [, b]) => b - a)
      .slice(0, MAX_FREQUENT)
      .map(([value, count]) => ({ value, count }));
    return {
      path,
      present: this.present,
      kinds: this.kinds,
      distinct: { count: this.#counts.size, isMore: this.#isMore },
      least: this.#numberRange.least ?? this.#stringRange.least,
      greatest: this.#numberRange.greatest ?? this.#stringRange.greatest,
      frequent,
      histogram: histogramOf(this.#numbers),
    };
  }

  #count(text: string): void {
    const known = this.#counts.get(text);
    if (known !== undefined || this.#counts.size < MAX_DISTINCT) {
      this.#counts.set(text, (known ?? 0) + 1);
    } else {
      this.#isMore = true;
    }
  }
}

/** Documents are compact JSON texts. */
export class SchemaInference {
  readonly #fields = new Map<string, FieldRecord>();
  #sampled = 0;
  #isCut = false;

  add(document: string): void {
    this.#sampled += 1;
    this.#visit(document, '', 0);
  }

  describe(): RegionSchema {
    const fields = [...this.#fields].map(([path, record]) => record.describe(path));
    return { sampled: this.#sampled, fields, isCut: this.#isCut };
  }

  #visit(text: string, path: string, depth: number): void {
    const kind = kindOfJson(text);
    if (path !== '') {
      const record = this.#record(path);
      if (record === undefined) return;
      record.add(text, kind);
    }
    if (depth === MAX_DEPTH) return;
    if (kind === 'object') {
      for (const { name, text: member } of listMembers(text)) {
        this.#visit(member, path === '' ? name : `${path}.${name}`, depth + 1);
      }
    } else if (kind === 'array') {
      for (const element of splitArray(text)) this.#visit(element, `${path}[]`, depth + 1);
    }
  }

  #record(path: string): FieldRecord | undefined {
    const known = this.#fields.get(path);
    if (known !== undefined) return known;
    if (this.#fields.size >= MAX_FIELDS) {
      this.#isCut = true;
      return undefined;
    }
    const created = new FieldRecord();
    this.#fields.set(path, created);
    return created;
  }
}

function histogramOf(numbers: readonly number[]): readonly number[] | undefined {
  if (numbers.length < 2) return undefined;
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (const number of numbers) {
    least = Math.min(least, number);
    greatest = Math.max(greatest, number);
  }
  const width = greatest - least;
  if (width === 0 || !Number.isFinite(width)) return undefined;
  const bins = Array.from({ length: BINS }, () => 0);
  for (const number of numbers) {
    const bin = Math.min(BINS - 1, Math.floor(((number - least) / width) * BINS));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return bins;
}
