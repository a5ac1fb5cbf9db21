// Adds values to recorded puts, where the entry still has the version of the put. Each value is
// looked up once. The mean size of values decides how many changes are read at a time. Lengths are
// read first only where a few large values could exceed the limit by far.

import type { RecordedChange } from '../engine.ts';
import { storeDamaged } from '../errors.ts';
import { encodeKey } from '../key-encoding.ts';
import { type CommitRange, CurrentValues } from './current-values.ts';
import { type RegionSizes, UNCHECKED_BYTES } from './schema.ts';
import type { StatementCache } from './statement-cache.ts';

interface PutValuesOptions {
  readonly statements: StatementCache;
  readonly file: string;
  readonly findRegion: (name: string) => RegionSizes | undefined;
}

/** A change that is still to get its value. */
export type OpenChange = { -readonly [Member in keyof RecordedChange]: RecordedChange[Member] };

/** Changes of a list from `start` to before `end`. */
interface ChangeSpan {
  readonly start: number;
  readonly end: number;
}

type Sources = ReadonlyMap<string, RegionSizes | undefined>;

/** Bounds of an answer. */
interface AnswerBounds {
  readonly sources: Sources;
  readonly maxBytes: number;
}

/** The puts of one region in a span. A key that was put twice occurs twice. */
interface RegionPuts {
  readonly storedKeys: string[];
  /** Positions of the puts in the list of changes. */
  readonly positions: number[];
}

export class PutValues {
  readonly #options: PutValuesOptions;
  readonly #values = new Map<number, CurrentValues>();

  constructor(options: PutValuesOptions) {
    this.#options = options;
  }

  /** Drops the statements of a region that no longer exists. */
  forget(regionId: number): void {
    this.#values.delete(regionId);
  }

  /**
   * Adds values up to the commit with which they reach `maxBytes`; returns the position of the first
   * change after it. Takes whole commits, at least one.
   */
  add(changes: readonly OpenChange[], maxBytes: number): number {
    const sources = this.#findSources(changes);
    let bytes = 0;
    let end = 0;
    while (end < changes.length && (end === 0 || bytes < maxBytes)) {
      const start = end;
      end = this.#chooseEnd(changes, start, { sources, maxBytes: maxBytes - bytes });
      const sizes = this.#read(changes, { start, end }, sources);
      for (let at = start; at < end; at++) {
        if (bytes >= maxBytes && startsCommit(changes, at)) return at;
        bytes += sizes[at - start] ?? 0;
      }
    }
    return end;
  }

  /** The regions of the puts. One that no longer exists has no values. */
  #findSources(changes: readonly OpenChange[]): Sources {
    const sources: Map<string, RegionSizes | undefined> = new Map();
    let name = '';
    for (const { kind, region } of changes) {
      if (kind !== 'put' || region === name) continue;
      name = region;
      if (!sources.has(name)) sources.set(name, this.#options.findRegion(name));
    }
    return sources;
  }

  /** After the commit with which values of mean size would reach `maxBytes`. */
  #chooseEnd(
    changes: readonly OpenChange[],
    start: number,
    { maxBytes, sources }: AnswerBounds,
  ): number {
    let [expected, most, commits, end] = [0, 0, 0, start];
    for (; end < changes.length; end++) {
      if (startsCommit(changes, end)) {
        if (end > start && expected >= maxBytes) break;
        commits += 1;
      }
      const change = changes[end];
      const source = change?.kind === 'put' ? sources.get(change.region) : undefined;
      if (source === undefined) continue;
      expected += source.valueBytes / Math.max(1, source.entryCount);
      most += source.largestValue;
    }
    // A single commit is never split, whatever its size.
    if (commits === 1 || most <= UNCHECKED_BYTES) return end;
    return this.#measure(changes, { start, end }, { sources, maxBytes });
  }

  /** After the commit of a span with which the values reach `maxBytes`. Reads no value. */
  #measure(
    changes: readonly OpenChange[],
    span: ChangeSpan,
    { maxBytes, sources }: AnswerBounds,
  ): number {
    const sizes = new Uint32Array(span.end - span.start);
    for (const [{ id }, { positions, storedKeys }] of this.#findPuts(changes, span, sources)) {
      const found = this.#valuesOf(id).measure(storedKeys, rangeOf(changes, span));
      for (let i = 0; i < found.length; i++) {
        sizes[(positions[i] ?? 0) - span.start] = found[i] ?? 0;
      }
    }
    let bytes = 0;
    for (let at = span.start; at < span.end; at++) {
      if (at > span.start && bytes >= maxBytes && startsCommit(changes, at)) return at;
      bytes += sizes[at - span.start] ?? 0;
    }
    return span.end;
  }

  /** Adds values to the puts of a span; returns the size of the value of each of its changes. */
  #read(changes: readonly OpenChange[], span: ChangeSpan, sources: Sources): Uint32Array {
    const sizes = new Uint32Array(span.end - span.start);
    for (const [{ id }, { positions, storedKeys }] of this.#findPuts(changes, span, sources)) {
      const found = this.#valuesOf(id).read(storedKeys, rangeOf(changes, span));
      for (let i = 0; i < found.positions.length; i++) {
        const at = positions[found.positions[i] ?? 0] ?? 0;
        const change = changes[at];
        // Of several puts of a key only one has the version of the entry.
        if (change === undefined || change.sequence !== found.versions[i]) continue;
        change.value = found.values[i] ?? '';
        sizes[at - span.start] = found.sizes[i] ?? 0;
      }
    }
    return sizes;
  }

  #findPuts(
    changes: readonly OpenChange[],
    { end, start }: ChangeSpan,
    sources: Sources,
  ): ReadonlyMap<RegionSizes, RegionPuts> {
    const found = new Map<RegionSizes, RegionPuts>();
    let [name, puts]: [string, RegionPuts | undefined] = ['', undefined];
    for (let at = start; at < end; at++) {
      const change = changes[at];
      if (change?.kind !== 'put' || change.key === null) continue;
      if (change.region !== name) {
        name = change.region;
        const source = sources.get(name);
        puts = source && (found.get(source) ?? { storedKeys: [], positions: [] });
        if (source !== undefined && puts !== undefined) found.set(source, puts);
      }
      if (puts === undefined) continue;
      puts.storedKeys.push(encodeKey(change.key));
      puts.positions.push(at);
    }
    return found;
  }

  #valuesOf(regionId: number): CurrentValues {
    const known = this.#values.get(regionId);
    if (known !== undefined) return known;
    const { file, statements } = this.#options;
    const values = new CurrentValues(statements, regionId, () =>
      storeDamaged(file, 'an entry fails its checksum'),
    );
    this.#values.set(regionId, values);
    return values;
  }
}

/** Whether a commit begins at this change. */
function startsCommit(changes: readonly OpenChange[], at: number): boolean {
  return changes[at - 1]?.sequence !== changes[at]?.sequence;
}

function rangeOf(changes: readonly OpenChange[], { end, start }: ChangeSpan): CommitRange {
  return { first: changes[start]?.sequence ?? 0, last: changes[end - 1]?.sequence ?? 0 };
}
