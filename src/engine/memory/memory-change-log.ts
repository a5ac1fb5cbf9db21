// The change log of the memory engine: a list, trimmed in larger steps. Its values are the current
// ones of the entries, as in every engine whose log keeps none.

import { toRecordedChange } from '../committed-change.ts';
import type {
  ChangesOutcome,
  ChangesWanted,
  CommittedChange,
  RecordedChange,
  SequenceAtOutcome,
  StoredEntry,
} from '../engine.ts';

interface LogRange {
  readonly afterSequence: number;
  readonly limit: number;
  /** The latest commit of the store. */
  readonly latest: number;
}

type FindStored = (region: string, key: string) => StoredEntry | undefined;

export class MemoryChangeLog {
  readonly #maxChanges: number;
  #changes: RecordedChange[] = [];

  constructor(maxChanges: number) {
    this.#maxChanges = maxChanges;
  }

  record(sequence: number, changes: readonly CommittedChange[], atMs: number): void {
    for (const change of changes) this.#changes.push(toRecordedChange(change, { sequence, atMs }));
    // Trimmed in larger steps, so that a commit does not pay for the whole list.
    if (this.#changes.length <= 2 * this.#maxChanges) return;
    // Never within a commit, because no reader could continue from there.
    const before = this.#changes.at(-this.#maxChanges - 1)?.sequence ?? 0;
    this.#changes = this.#changes.slice(this.#firstAfter(before));
  }

  clear(): void {
    this.#changes = [];
  }

  /** As `Engine.readChanges` promises. */
  read(range: LogRange, wanted: ChangesWanted, findEntry: FindStored): ChangesOutcome {
    const { afterSequence, latest, limit } = range;
    const oldest = this.#oldest(latest);
    if (afterSequence < oldest || afterSequence > latest) return { kind: 'gone', oldest, latest };
    const { maxBytes = Number.POSITIVE_INFINITY } = wanted;
    const changes: RecordedChange[] = [];
    let bytes = 0;
    let through = limit > 0 ? latest : afterSequence;
    for (const change of this.#takeCommits(afterSequence, limit)) {
      const before = changes.at(-1)?.sequence;
      if (bytes >= maxBytes && before !== undefined && change.sequence !== before) {
        return { kind: 'changes', changes, through: change.sequence - 1, latest };
      }
      through = change.sequence;
      if (!isAmong(wanted, change)) continue;
      const value = wanted.values === 'kept' ? findValue(change, findEntry) : undefined;
      bytes += value?.length ?? 0;
      changes.push(value === undefined ? change : { ...change, value });
    }
    return { kind: 'changes', changes, through, latest };
  }

  /** As `Engine.findSequenceAt` promises. */
  findSequenceAt(atMs: number, latest: number): SequenceAtOutcome {
    const oldest = this.#oldest(latest);
    const [first] = this.#changes;
    const isBefore = first === undefined || atMs <= first.atMs;
    if (isBefore && oldest > 0) return { kind: 'gone', oldest, latest };
    const found = this.#changes.find((change) => change.atMs >= atMs);
    return { kind: 'found', sequence: found === undefined ? latest : found.sequence - 1 };
  }

  #oldest(latest: number): number {
    return (this.#changes[0]?.sequence ?? latest + 1) - 1;
  }

  /** Whole commits of up to `limit` changes, or the first one alone. */
  #takeCommits(afterSequence: number, limit: number): readonly RecordedChange[] {
    if (limit <= 0) return [];
    const start = this.#firstAfter(afterSequence);
    const next = this.#changes[start + limit];
    if (next === undefined) return this.#changes.slice(start);
    const isFirst = this.#changes[start]?.sequence === next.sequence;
    const end = this.#firstAfter(isFirst ? next.sequence : next.sequence - 1);
    return this.#changes.slice(start, end);
  }

  /** Index of the first change after a commit, by binary search. */
  #firstAfter(sequence: number): number {
    let [low, high] = [0, this.#changes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.sequence ?? 0) > sequence) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function findValue(change: RecordedChange, findEntry: FindStored): string | undefined {
  if (change.kind !== 'put' || change.key === null) return undefined;
  const entry = findEntry(change.region, change.key);
  return entry?.version === change.sequence ? entry.value : undefined;
}

function isAmong({ isWanted, regions }: ChangesWanted, change: RecordedChange): boolean {
  return regions?.has(change.region) !== false && isWanted?.(change) !== false;
}
