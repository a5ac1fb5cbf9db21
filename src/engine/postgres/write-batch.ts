// Several writes as one call of `commit_batch`, and what its answer means for each.

import type { Change, StoredEntry, WriteGuard, WriteOutcome } from '../engine.ts';
import { type EngineError, regionGone } from '../errors.ts';
import { encodeKey } from '../key-encoding.ts';
import { findFailedGuard } from '../write-guards.ts';
import { integerArray, textArray } from './array-parameter.ts';
import { type LogRow, type RawRow, toLogRow } from './change-log.ts';
import { ANSWER } from './commit-function.ts';

export interface WriteRequest {
  readonly kind: 'write';
  readonly regionId: number;
  readonly region: string;
  readonly changes: readonly Change[];
  readonly guards: readonly WriteGuard[];
}

const PUT = 0;
const REMOVE = 1;
const LOOK_UP = 2;
const GUARDS: Readonly<Record<WriteGuard['kind'], number>> = {
  'all-present': 0,
  'all-absent': 1,
  'version-is': 2,
  'version-is-not': 3,
};

/** What one write came to; `row` is its commit, where it made one. */
export type WriteResult =
  | { readonly kind: 'done'; readonly outcome: WriteOutcome; readonly row?: LogRow }
  | { readonly kind: 'failed'; readonly error: EngineError };

export interface BatchAnswer {
  /** Commits of other servers that came first. */
  readonly others: readonly LogRow[];
  /** One per request, in order. */
  readonly results: readonly WriteResult[];
}

/** Keys of a write, those of its guards included: two writes that share one cannot share a batch. */
export function keysOf({ changes, guards, regionId }: WriteRequest): readonly string[] {
  const keys = changes.map(({ key }) => `${regionId} ${key}`);
  for (const guard of guards) if ('key' in guard) keys.push(`${regionId} ${guard.key}`);
  return keys;
}

export class WriteBatch {
  readonly #requests: readonly WriteRequest[];
  readonly #first: number[] = [];
  readonly #kinds: number[] = [];
  readonly #keys: string[] = [];
  readonly #values: (string | null)[] = [];
  readonly #guards: number[] = [];
  readonly #versions: string[] = [];

  constructor(requests: readonly WriteRequest[]) {
    this.#requests = requests;
    for (const [i, request] of requests.entries()) {
      this.#first.push(this.#keys.length + 1);
      for (const change of request.changes) {
        const isPut = change.kind === 'put';
        this.#addItem(isPut ? PUT : REMOVE, change.key, isPut ? change.value : null);
      }
      for (const guard of request.guards) this.#addGuard(i + 1, guard);
    }
    this.#first.push(this.#keys.length + 1);
  }

  /** Parameters of `commit_batch` behind the first four. */
  parameters(): readonly Buffer[] {
    return [
      integerArray(this.#requests.map(({ regionId }) => regionId)),
      integerArray(this.#first),
      integerArray(this.#kinds),
      textArray(this.#keys),
      textArray(this.#values),
      integerArray(this.#guards),
      textArray(this.#versions),
    ];
  }

  readAnswer(rows: readonly RawRow[], origin: { server: number; batch: number }): BatchAnswer {
    const byKind = Map.groupBy(rows, ([what]) => Number(what));
    const others = (byKind.get(ANSWER.commit) ?? []).map((raw) => toLogRow(raw.slice(1)));
    const numbers = byKind.get(ANSWER.latest)?.[0];
    const latest = Number(numbers?.[1]);
    const done = new Map((byKind.get(ANSWER.done) ?? []).map((raw) => [Number(raw[REQUEST]), raw]));
    const gone = numbersIn(byKind.get(ANSWER.gone), REQUEST);
    const failed = numbersIn(byKind.get(ANSWER.failed), REQUEST);
    const unchanged = numbersIn(byKind.get(ANSWER.unchanged), ITEM);
    const current = new Map(
      (byKind.get(ANSWER.entry) ?? []).map((raw) => [
        Number(raw[ITEM]),
        { value: raw[VALUE] ?? '', version: Number(raw[1]) },
      ]),
    );
    // Behind the last commit, less what each later one added.
    let position =
      Number(numbers?.[POSITION]) - countChanges(this.#requests, done, unchanged, this);
    const results = this.#requests.map((request, i): WriteResult => {
      const number = i + 1;
      if (gone.has(number)) return { kind: 'failed', error: regionGone(request.region) };
      if (failed.has(number)) {
        return { kind: 'done', outcome: this.#failedOutcome(i, current) };
      }
      const raw = done.get(number);
      if (raw === undefined) {
        return { kind: 'done', outcome: { kind: 'committed', version: latest } };
      }
      const changes = this.effectiveChanges(i, unchanged);
      position += changes.length;
      const row: LogRow = {
        sequence: Number(raw[1]),
        kind: 'write',
        region: request.region,
        keys: changes.map(({ key }) => key),
        values: changes.map((change) => (change.kind === 'put' ? change.value : '')),
        ...origin,
        request: number,
        countDelta: Number(raw[COUNT_DELTA]),
        bytesDelta: Number(raw[BYTES_DELTA]),
        position,
      };
      return { kind: 'done', outcome: { kind: 'committed', version: row.sequence }, row };
    });
    return { others, results };
  }

  /** Without removals of entries that were not there. */
  effectiveChanges(index: number, unchanged: ReadonlySet<number>): readonly Change[] {
    const first = this.#first[index] ?? 1;
    const changes = this.#requests[index]?.changes ?? [];
    return unchanged.size === 0 ? changes : changes.filter((_, i) => !unchanged.has(first + i));
  }

  /** A guard failed in the store; the entries it looked at tell how. */
  #failedOutcome(index: number, current: ReadonlyMap<number, StoredEntry>): WriteOutcome {
    const request = this.#requests[index];
    const first = this.#first[index] ?? 1;
    const end = this.#first[index + 1] ?? first;
    const find = (key: string): StoredEntry | undefined => {
      const at = this.#keys.indexOf(encodeKey(key), first - 1);
      return at < 0 || at + 1 >= end ? undefined : current.get(at + 1);
    };
    const outcome = findFailedGuard(request?.guards ?? [], request?.changes ?? [], find);
    if (outcome === undefined) throw new Error('A guard failed in the store and holds here');
    return outcome;
  }

  #addItem(kind: number, key: string, value: string | null): number {
    this.#kinds.push(kind);
    this.#values.push(value);
    return this.#keys.push(encodeKey(key));
  }

  #addGuard(request: number, guard: WriteGuard): void {
    const item = 'key' in guard ? this.#addItem(LOOK_UP, guard.key, null) : 0;
    this.#guards.push(request, GUARDS[guard.kind], item);
    this.#versions.push('versions' in guard ? guard.versions.join() : '');
  }
}

// Columns of an answer, see `commit-function.ts`.
const ITEM = 2;
const VALUE = 7;
const REQUEST = 10;
const COUNT_DELTA = 11;
const BYTES_DELTA = 12;
const POSITION = 13;

function numbersIn(rows: readonly RawRow[] | undefined, column: number): ReadonlySet<number> {
  return new Set((rows ?? []).map((raw) => Number(raw[column])));
}

function countChanges(
  requests: readonly WriteRequest[],
  done: ReadonlyMap<number, RawRow>,
  unchanged: ReadonlySet<number>,
  batch: WriteBatch,
): number {
  let count = 0;
  for (const i of requests.keys()) {
    if (done.has(i + 1)) count += batch.effectiveChanges(i, unchanged).length;
  }
  return count;
}
