// SELECT over frames: prints rows as JSON, each projection from the cheapest source that has it.

import { printJson } from '../../../../value/json-print.ts';
import { printStored } from '../../../../value/stored-json.ts';
import { UNDEFINED, type Value } from '../../../../value/value.ts';
import type { SourceTable } from '../../../columnar/column-source.ts';
import type { RowKey } from '../codes/row-encoder.ts';
import type { Frame } from '../frames/frame.ts';
import type { Runtime } from '../runtime.ts';
import type { JsonWriter, WrittenMember } from './json-writer.ts';
import { type Phrase, StringPhrases, toPhrase } from './phrases.ts';

interface PrintedProjection {
  /** The text before the value. */
  readonly prefix: Phrase;
  readonly key: RowKey;
  /** The iterator whose stored value it is; undefined for a column and for a computed value. */
  readonly whole: number | undefined;
  /** What a row shows that has no row of that iterator: `c` of a LEFT JOIN is null. */
  readonly absent: Value;
  /** The strings of its column; undefined if it is no column. */
  readonly strings: StringPhrases | undefined;
}

function isComputed({ whole, strings }: PrintedProjection): boolean {
  return whole === undefined && strings === undefined;
}

/** Undefined for a row that a LEFT JOIN did not find. */
type StoredTexts = readonly (string | undefined)[];

/** Rows of a frame to be written. */
export interface WrittenRows {
  readonly frame: Frame;
  readonly rows: Uint32Array;
  /** Their stored texts, if any projection needs them, by projection; there may be more. */
  readonly texts: readonly (StoredTexts | undefined)[];
}

export class Projector {
  readonly projections: readonly PrintedProjection[];
  readonly #runtime: Runtime;
  readonly #isObject: boolean;

  constructor(runtime: Runtime) {
    const { select, wholeValues } = runtime.shape;
    this.#runtime = runtime;
    this.#isObject = select.shape === 'struct';
    this.projections = select.projections.map(({ name, expression }, index) => {
      const start = this.#isObject && index === 0 ? ',{' : ',';
      const text = this.#isObject ? `${start}${JSON.stringify(name)}:` : start;
      const prefix = toPhrase(text);
      const key = runtime.rowKey(expression);
      const strings = key.column && new StringPhrases(key.column.strings, text);
      const isRow = expression.kind === 'path' && expression.members.length === 0;
      const absent = isRow ? null : UNDEFINED;
      return { prefix, key, whole: wholeValues.get(index), absent, strings };
    });
  }

  /** True when rows can be printed without reading the store. */
  get isFromColumns(): boolean {
    return this.projections.every(({ whole }) => whole === undefined);
  }

  /** The first of these rows, at least one, with their stored texts. */
  async readTexts(frame: Frame, rows: Uint32Array): Promise<WrittenRows> {
    const texts: (StoredTexts | undefined)[] = [];
    let count = rows.length;
    for (const { whole: iterator } of this.projections) {
      if (iterator === undefined) {
        texts.push(undefined);
        continue;
      }
      const numbers = Array.from(rows.subarray(0, count), (row) =>
        frame.rowNumberAt(iterator, row),
      );
      const stored = await readStored(this.#runtime.tableOf(iterator), numbers);
      count = stored.length;
      texts.push(stored);
    }
    return { frame, rows: rows.subarray(0, count), texts };
  }

  /** Whether values have to be computed row by row. */
  get isComputed(): boolean {
    return this.projections.some(isComputed);
  }

  /** Fails if a projection of these rows fails, and has no other effect. */
  tryRows(frame: Frame, rows: Uint32Array): void {
    for (const row of rows) {
      for (const each of this.projections) if (isComputed(each)) each.key.read(frame, row);
    }
  }

  /** Appends rows: all, or as many as make the writer full. */
  write({ frame, rows, texts }: WrittenRows, writer: JsonWriter): number {
    const { form } = writer;
    const members = this.projections.map((projection, at): WrittenMember => {
      const { prefix, key, whole, strings, absent } = projection;
      const { columnNumber, column, read } = key;
      if (column !== undefined && strings !== undefined) {
        return { prefix, vector: frame.vector(columnNumber), strings, column };
      }
      const print = (index: number): string => {
        if (whole === undefined) return printJson(read(frame, rows[index] ?? 0), form);
        const text = texts[at]?.[index];
        return text === undefined ? printJson(absent, form) : printStored(text, form);
      };
      return { prefix, vector: undefined, print };
    });
    return writer.writeMembers({ members, isObject: this.#isObject }, rows);
  }
}

/** The texts of the first of these rows, at least one. */
async function readStored(table: SourceTable, numbers: readonly number[]): Promise<StoredTexts> {
  const stored = numbers.filter((number) => number < table.size);
  const found = stored.length === 0 ? [] : await table.readTexts(stored);
  if (stored.length === numbers.length) return found;
  const texts: (string | undefined)[] = [];
  let next = 0;
  for (const number of numbers) {
    if (number >= table.size) texts.push(undefined);
    else if (next < found.length) texts.push(found[next++]);
    else break;
  }
  return texts;
}
