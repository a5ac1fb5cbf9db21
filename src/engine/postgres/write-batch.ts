// Encodes several requests as one call of `commit_batch` where all are single puts, or else of
// `commit_regions`. Decodes the answer into one result per request.

import type {
  Change,
  CommitEnd,
  CommitOutcome,
  Committed,
  RegionWrite,
  StoredEntry,
  WriteGuard,
  WriteOutcome,
} from '../engine.ts';
import { type EngineError, regionGone } from '../errors.ts';
import { encodeKey } from '../key-encoding.ts';
import type { Outcomes, RegionRequest, WriteRequest } from '../region-requests.ts';
import { findFailedGuard, findRefusals } from '../write-guards.ts';
import { integerArray, textArray } from './array-parameter.ts';
import { EXPIRED, type LogRow, toLogRow } from './change-log.ts';
import { ANSWER } from './commit-answer.ts';
import type { RawRow } from './query-rows.ts';
import { FUNCTIONS } from './store-format.ts';

/** See `Engine.commit`. */
export interface CommitRequest {
  readonly kind: 'commit';
  readonly writes: readonly (RegionWrite & { readonly regionId: number })[];
  readonly end: CommitEnd;
}

export type EntryRequest = WriteRequest | CommitRequest;
export type StoreRequest = EntryRequest | RegionRequest;
export type StoreOutcome = Outcomes[keyof Outcomes];

/** Queues a request. */
export type Submit = <Request extends StoreRequest>(
  request: Request,
) => Promise<Outcomes[Request['kind']]>;

export function isEntryRequest(request: { readonly kind: string }): request is EntryRequest {
  return request.kind === 'write' || request.kind === 'commit';
}

type PartOfRequest = CommitRequest['writes'][number];

const PUT = 0;
const REMOVE = 1;
const LOOK_UP = 2;
const READ = 3;
const EXPIRE = 4;
const ITEM_KINDS: Readonly<Record<Change['kind'], number>> = {
  put: PUT,
  remove: REMOVE,
  expire: EXPIRE,
};
const GUARDS: Readonly<Record<WriteGuard['kind'], number>> = {
  'all-present': 0,
  'all-absent': 1,
  'version-is': 2,
  'version-is-not': 3,
  present: 4,
  absent: 5,
};

/** The outcome of one request; `rows` are its commit, where it made one. */
export type WriteResult =
  | {
      readonly kind: 'done';
      readonly outcome: StoreOutcome;
      readonly rows: readonly LogRow[];
    }
  | { readonly kind: 'failed'; readonly error: EngineError };

export interface BatchAnswer {
  /** Commits of other servers before this batch. */
  readonly others: readonly LogRow[];
  /** One per request, in order. */
  readonly results: readonly WriteResult[];
}

/** Keys that a request names: two requests that share one cannot share a batch. */
export function keysOf(request: EntryRequest): readonly string[] {
  return partsOf(request).flatMap(({ changes, guards = [], reads = [], regionId }) => {
    const keys = changes.map(({ key }) => `${regionId} ${key}`);
    for (const guard of guards) if ('key' in guard) keys.push(`${regionId} ${guard.key}`);
    for (const key of reads) keys.push(`${regionId} ${key}`);
    return keys;
  });
}

export function partsOf(request: EntryRequest): readonly PartOfRequest[] {
  return request.kind === 'write' ? [request] : request.writes;
}

/** A write of a request, with its numbers among the parameters, which begin with 1. */
interface Part extends PartOfRequest {
  readonly request: number;
  readonly ordinal: number;
  readonly firstItem: number;
  readonly firstRead: number;
}

export class WriteBatch {
  readonly #requests: readonly EntryRequest[];
  /** The parts of each request. */
  readonly #parts: readonly (readonly Part[])[];
  readonly #first: number[] = [];
  readonly #kinds: number[] = [];
  readonly #keys: string[] = [];
  readonly #values: (string | null)[] = [];
  readonly #guards: number[] = [];
  readonly #versions: string[] = [];

  constructor(requests: readonly EntryRequest[]) {
    this.#requests = requests;
    this.#parts = requests.map((request, i) =>
      partsOf(request).map((part, ordinal) => this.#addPart(part, i + 1, ordinal)),
    );
    this.#first.push(this.#keys.length + 1);
  }

  /** The function that commits it, with its parameters after the first four. */
  get call(): { readonly name: string; readonly parameters: readonly Buffer[] } {
    const parts = this.#parts.flat();
    const parameters = [
      integerArray(parts.map(({ regionId }) => regionId)),
      integerArray(this.#first),
      integerArray(this.#kinds),
      textArray(this.#keys),
      textArray(this.#values),
      integerArray(this.#guards),
      textArray(this.#versions),
    ];
    const arePuts =
      this.#requests.every(({ kind }) => kind === 'write') &&
      this.#kinds.length === parts.length &&
      this.#kinds.every((kind) => kind === PUT) &&
      this.#guards.length === 0;
    if (arePuts) return { name: FUNCTIONS.batch, parameters };
    const requests = integerArray(parts.map(({ request }) => request));
    return { name: FUNCTIONS.regions, parameters: [...parameters, requests] };
  }

  readAnswer(rows: readonly RawRow[], origin: { server: number; batch: number }): BatchAnswer {
    const answer = sortAnswer(rows);
    // The position before the batch: the last one less the changes of all its commits.
    let position = answer.position;
    for (const parts of this.#parts) {
      if (answer.done.has(parts[0]?.request ?? 0)) position -= this.#countChanges(parts, answer);
    }
    const results = this.#requests.map((request, i): WriteResult => {
      const parts = this.#parts[i] ?? [];
      const number = i + 1;
      const gone = answer.gone.get(number);
      if (gone !== undefined) return goneResult(request, gone);
      if (answer.failed.has(number)) {
        return { kind: 'done', outcome: this.#failedOutcome(request, parts, answer), rows: [] };
      }
      const committed = answer.done.get(number);
      if (committed !== undefined) position += this.#countChanges(parts, answer);
      const version = committed?.sequence ?? answer.latest;
      const own = (committed?.parts ?? []).map((raw): LogRow => {
        const part = parts[Number(raw[ITEM])];
        const changes = part === undefined ? [] : effectiveChanges(part, answer);
        return {
          sequence: version,
          kind: 'write',
          region: part?.region ?? '',
          keys: changes.map(({ key }) => key),
          values: changes.map((change) => toLoggedValue(change) ?? ''),
          ...origin,
          request: number,
          countDelta: Number(raw[COUNT_DELTA]),
          bytesDelta: Number(raw[BYTES_DELTA]),
          position,
        };
      });
      const outcome: Committed = { kind: 'committed', version };
      if (request.kind === 'write') return { kind: 'done', outcome, rows: own };
      const reads = parts.map((part) => readsOf(part, answer));
      return { kind: 'done', outcome: { ...outcome, reads }, rows: own };
    });
    return { others: answer.others, results };
  }

  #countChanges(parts: readonly Part[], answer: SortedAnswer): number {
    return parts.reduce((sum, part) => sum + effectiveChanges(part, answer).length, 0);
  }

  /** The outcome of a guard that failed in the store, from the entries that it read. */
  #failedOutcome(
    request: EntryRequest,
    parts: readonly Part[],
    { current }: SortedAnswer,
  ): WriteOutcome | CommitOutcome {
    const find = (index: number, key: string): StoredEntry | undefined => {
      const first = parts[index]?.firstItem ?? 1;
      const at = this.#keys.indexOf(encodeKey(key), first - 1) + 1;
      return at < first ? undefined : current.get(at);
    };
    if (request.kind === 'write') {
      const outcome = findFailedGuard(request.guards, request.changes, (key) => find(0, key));
      if (outcome !== undefined) return outcome;
    } else {
      const refusals = findRefusals(request.writes, find);
      if (refusals.length > 0) return { kind: 'refused', refusals };
    }
    throw new Error('A guard failed in the store and holds here');
  }

  #addPart(part: PartOfRequest, request: number, ordinal: number): Part {
    const firstItem = this.#keys.length + 1;
    this.#first.push(firstItem);
    for (const change of part.changes) {
      this.#addItem(ITEM_KINDS[change.kind], change.key, toLoggedValue(change));
    }
    for (const guard of part.guards ?? []) this.#addGuard(this.#first.length, guard);
    const firstRead = this.#keys.length + 1;
    for (const key of part.reads ?? []) this.#addItem(READ, key, null);
    return { ...part, request, ordinal, firstItem, firstRead };
  }

  #addItem(kind: number, key: string, value: string | null): number {
    this.#kinds.push(kind);
    this.#values.push(value);
    return this.#keys.push(encodeKey(key));
  }

  #addGuard(part: number, guard: WriteGuard): void {
    const item = 'key' in guard ? this.#addItem(LOOK_UP, guard.key, null) : 0;
    this.#guards.push(part, GUARDS[guard.kind], item);
    this.#versions.push('versions' in guard ? guard.versions.join() : '');
  }
}

/** The rows of an answer by kind. */
interface SortedAnswer {
  readonly others: readonly LogRow[];
  readonly latest: number;
  readonly position: number;
  /** By request: its commit, one row for each part that changed something. */
  readonly done: ReadonlyMap<number, { sequence: number; parts: RawRow[] }>;
  /** By request: the index of the write whose region is gone. */
  readonly gone: ReadonlyMap<number, number>;
  readonly failed: ReadonlySet<number>;
  /** Items without an effect. */
  readonly unchanged: ReadonlySet<number>;
  /** By item: entries that failed guards read. */
  readonly current: ReadonlyMap<number, StoredEntry>;
  /** By item: entries as of the commit. */
  readonly reads: ReadonlyMap<number, StoredEntry>;
}

function sortAnswer(rows: readonly RawRow[]): SortedAnswer {
  const byKind = Map.groupBy(rows, ([what]) => Number(what));
  const of = (what: number): readonly RawRow[] => byKind.get(what) ?? [];
  const latest = of(ANSWER.latest)[0];
  const done = new Map<number, { sequence: number; parts: RawRow[] }>();
  for (const raw of of(ANSWER.done)) {
    const known = done.get(Number(raw[REQUEST]));
    if (known !== undefined) known.parts.push(raw);
    else done.set(Number(raw[REQUEST]), { sequence: Number(raw[1]), parts: [raw] });
  }
  return {
    others: of(ANSWER.commit).map((raw) => toLogRow(raw.slice(1))),
    latest: Number(latest?.[1]),
    position: Number(latest?.[POSITION]),
    done,
    gone: new Map(of(ANSWER.gone).map((raw) => [Number(raw[REQUEST]), Number(raw[ITEM])])),
    failed: new Set(of(ANSWER.failed).map((raw) => Number(raw[REQUEST]))),
    unchanged: new Set(of(ANSWER.unchanged).map((raw) => Number(raw[ITEM]))),
    current: toEntries(of(ANSWER.entry)),
    reads: toEntries(of(ANSWER.read)),
  };
}

function toEntries(rows: readonly RawRow[]): ReadonlyMap<number, StoredEntry> {
  return new Map(
    rows.map((raw) => [Number(raw[ITEM]), { value: raw[VALUE] ?? '', version: Number(raw[1]) }]),
  );
}

/** The value that represents a change in the log. */
function toLoggedValue(change: Change): string | null {
  switch (change.kind) {
    case 'put':
      return change.value;
    case 'remove':
      return null;
    case 'expire':
      return `${EXPIRED}${change.version}`;
  }
}

/** The changes without those that had no effect. */
function effectiveChanges(
  { changes, firstItem }: Part,
  { unchanged }: SortedAnswer,
): readonly Change[] {
  return unchanged.size === 0 ? changes : changes.filter((_, i) => !unchanged.has(firstItem + i));
}

function readsOf(
  { firstRead, reads = [] }: Part,
  answer: SortedAnswer,
): readonly (StoredEntry | undefined)[] {
  return reads.map((_, i) => answer.reads.get(firstRead + i));
}

function goneResult(request: EntryRequest, index: number): WriteResult {
  if (request.kind === 'write') return { kind: 'failed', error: regionGone(request.region) };
  const region = request.writes[index]?.region ?? '';
  return { kind: 'done', outcome: { kind: 'region-missing', region }, rows: [] };
}

// Columns of an answer, see `commit-answer.ts`.
const ITEM = 2;
const VALUE = 7;
const REQUEST = 10;
const COUNT_DELTA = 11;
const BYTES_DELTA = 12;
const POSITION = 13;
