// Messages between the main thread and the writer thread, and the format of a batch. A message is
// copied member by member, and an object costs about ten times as much as a string. So changes are
// sent as one flat list. A batch of plain puts only, by far the most frequent, is one flat list as a
// whole.

import type { Change, RegionWrite } from '../engine.ts';
import type { WriteRequest } from '../region-requests.ts';
import type { RegionRow } from './schema.ts';
import type { ErrorMessage } from './sqlite-errors.ts';
import { done } from './store-reply.ts';
import type {
  BatchAnswer,
  CommitRequest,
  FailureNotice,
  StoreReply,
  StoreRequest,
} from './store-request.ts';

/** Two elements per change: the key, then the value of a put, null for a removal, or the version to expire. */
type FlatChanges = readonly (string | number | null)[];

type PackedWrite = Omit<WriteRequest, 'changes'> & { readonly changes: FlatChanges };

type PackedCommit = Omit<CommitRequest, 'writes'> & {
  readonly writes: readonly (Omit<RegionWrite, 'changes'> & { readonly changes: FlatChanges })[];
};

type PackedRequest =
  | PackedWrite
  | PackedCommit
  | Exclude<StoreRequest, { kind: 'write' | 'commit' }>;

export type PackedBatch =
  /** `regionId, region, key, value` of each put; each put is a separate request. */
  | { readonly kind: 'puts'; readonly puts: readonly (string | number)[] }
  | { readonly kind: 'batch'; readonly requests: readonly PackedRequest[] };

/** `all-committed`: each request made one commit, in order, up to the latest. */
export type PackedAnswer = Omit<BatchAnswer, 'replies'> & {
  readonly replies: readonly StoreReply[] | 'all-committed';
};

export type ToWriter =
  | PackedBatch
  /** `failure`: the error of the checkpoint thread. */
  | { readonly kind: 'checkpoint'; readonly failure?: ErrorMessage }
  | { readonly kind: 'close' };

export type FromWriter =
  | {
      readonly kind: 'ready';
      readonly sequence: number;
      readonly notes: readonly string[];
      readonly mayBeFull: boolean;
      readonly regions: readonly RegionRow[];
    }
  | { readonly kind: 'refused'; readonly error: ErrorMessage }
  | PackedAnswer
  | ({ readonly kind: 'checkpointed'; readonly logBytes: number } & FailureNotice)
  | { readonly kind: 'closed' };

const PUT_ELEMENTS = 4;

export function packBatch(requests: readonly StoreRequest[]): PackedBatch {
  const puts: (string | number)[] = [];
  for (const request of requests) {
    const put = findPut(request);
    if (put === undefined) return { kind: 'batch', requests: requests.map(packRequest) };
    puts.push(put.regionId, put.region, put.key, put.value);
  }
  return { kind: 'puts', puts };
}

export function unpackBatch(batch: PackedBatch): readonly StoreRequest[] {
  return batch.kind === 'puts' ? unpackPuts(batch.puts) : batch.requests.map(unpackRequest);
}

export function packAnswer(answer: BatchAnswer, batch: PackedBatch): PackedAnswer {
  const { replies, sequence } = answer;
  const first = sequence - replies.length + 1;
  const isPlain = (reply: StoreReply, i: number): boolean =>
    reply.kind === 'done' && reply.sequence === first + i;
  return batch.kind === 'puts' && replies.every(isPlain)
    ? { ...answer, replies: 'all-committed' }
    : answer;
}

/** `count`: number of requests in the answered batch. */
export function unpackAnswer(answer: PackedAnswer, count: number): BatchAnswer {
  const { replies, sequence } = answer;
  if (replies !== 'all-committed') return { ...answer, replies };
  const first = sequence - count + 1;
  const versions = Array.from({ length: count }, (_, i) => first + i);
  return {
    ...answer,
    replies: versions.map((version) => done({ kind: 'committed', version }, version)),
  };
}

interface PlainPut {
  readonly regionId: number;
  readonly region: string;
  readonly key: string;
  readonly value: string;
}

/** The put, if the request is a single put without guards. */
function findPut(request: StoreRequest): PlainPut | undefined {
  if (request.kind !== 'write' || request.guards.length > 0) return undefined;
  const { changes, region, regionId } = request;
  const [change] = changes;
  if (changes.length !== 1 || change?.kind !== 'put') return undefined;
  return { regionId, region, key: change.key, value: change.value };
}

function unpackPuts(puts: readonly (string | number)[]): readonly StoreRequest[] {
  const requests: StoreRequest[] = [];
  for (let at = 0; at < puts.length; at += PUT_ELEMENTS) {
    // The types are those that `packBatch` pushed.
    const [regionId, region, key, value] = puts.slice(at, at + PUT_ELEMENTS) as [
      number,
      string,
      string,
      string,
    ];
    requests.push({
      kind: 'write',
      regionId,
      region,
      changes: [{ kind: 'put', key, value }],
      guards: [],
    });
  }
  return requests;
}

function packRequest(request: StoreRequest): PackedRequest {
  if (request.kind === 'write') return { ...request, changes: packChanges(request.changes) };
  if (request.kind !== 'commit') return request;
  return {
    ...request,
    writes: request.writes.map((write) => ({ ...write, changes: packChanges(write.changes) })),
  };
}

function unpackRequest(request: PackedRequest): StoreRequest {
  if (request.kind === 'write') return { ...request, changes: unpackChanges(request.changes) };
  if (request.kind !== 'commit') return request;
  return {
    ...request,
    writes: request.writes.map((write) => ({ ...write, changes: unpackChanges(write.changes) })),
  };
}

function packChanges(changes: readonly Change[]): FlatChanges {
  const flat: (string | number | null)[] = [];
  for (const change of changes) {
    flat.push(change.key);
    if (change.kind === 'put') flat.push(change.value);
    else flat.push(change.kind === 'expire' ? change.version : null);
  }
  return flat;
}

function unpackChanges(flat: FlatChanges): readonly Change[] {
  const changes: Change[] = [];
  for (let at = 0; at < flat.length; at += 2) {
    const key = String(flat[at]);
    const what = flat[at + 1] ?? null;
    if (typeof what === 'string') changes.push({ kind: 'put', key, value: what });
    else
      changes.push(
        what === null ? { kind: 'remove', key } : { kind: 'expire', key, version: what },
      );
  }
  return changes;
}
