// The queue of writes to the store. Writes that arrive while a batch is in flight form the next one;
// one batch is in flight at a time.
//
// A connection that is cut during a commit leaves its outcome open. Before anything else is written,
// this server raises a fence: it takes the commit lock and raises its incarnation. The lost batch is
// then in the log, or can never be committed. Requests found in the log were committed; the others
// are sent again.

import type { Client } from 'pg';
import { countCharacters, MAX_BATCH_CHARACTERS, MAX_BATCH_REQUESTS } from '../batch-limits.ts';
import { type EngineError, engineClosed, outcomeUnknown, storeUnreachable } from '../errors.ts';
import { call, rollBack } from './call-function.ts';
import { toLogRow } from './change-log.ts';
import { type CommitWithHistory, commitWithHistory, writesHistory } from './commit-with-history.ts';
import { findStaleWrite, refuseStaleWrites } from './find-stale-writes.ts';
import type { Follower } from './follower.ts';
import type { Link } from './link.ts';
import { isCut, isFenced, isOutdated, toEngineError } from './postgres-errors.ts';
import { queryRows } from './query-rows.ts';
import { readAsOf } from './read-as-of.ts';
import { decide, writeChange } from './region-changes.ts';
import { raiseFence, type ServerIdentity } from './server-identity.ts';
import { FUNCTIONS } from './store-format.ts';
import {
  type CommitRequest,
  type EntryRequest,
  isEntryRequest,
  keysOf,
  partsOf,
  type StoreOutcome,
  type StoreRequest,
  type Submit,
  WriteBatch,
  type WriteResult,
} from './write-batch.ts';
import { describeStall, WriteStall } from './write-stall.ts';

interface Pending {
  readonly request: StoreRequest;
  readonly resolve: (outcome: StoreOutcome) => void;
  readonly reject: (error: EngineError) => void;
}

export interface WriteQueueParts {
  readonly link: Link;
  readonly follower: Follower;
  readonly server: ServerIdentity;
  readonly address: string;
  /** Whether the store is unreachable; the link then fails at once. */
  readonly isOutage: () => boolean;
  /** See `PostgresEngineOptions.testing`. */
  readonly forgetsLostBatches: boolean;
  /** Called after each committed batch with its number of writes. */
  readonly onCommitted: (writes: number, seconds: number) => void;
  /** Called between batches, while nothing else is written through this connection. */
  readonly onIdle: (client: Client) => Promise<void>;
}

export class WriteQueue {
  readonly #parts: WriteQueueParts;
  #pending: Pending[] = [];
  #running: Promise<void> | undefined;
  #refusal: EngineError | undefined;
  #batch = 0;
  /** A batch whose outcome is open may still be in flight in the store. */
  #needsFence = false;
  readonly #stall = new WriteStall();

  constructor(parts: WriteQueueParts) {
    this.#parts = parts;
  }

  readonly submit: Submit = (request) => {
    const refusal = this.#refusal ?? this.#stall.refusal;
    if (refusal !== undefined) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      // Each kind of request is answered with its outcome.
      this.#pending.push({ request, resolve: resolve as Pending['resolve'], reject });
      this.#running ??= this.#run();
    });
  };

  /** Why commits do not get through although the store answers. */
  get unwritable(): string | undefined {
    return this.#stall.reason;
  }

  /** Refuses further requests and resolves when those accepted are answered. */
  async drain(): Promise<void> {
    this.#refusal ??= engineClosed();
    await this.#running;
    this.#stall.stop();
  }

  async #run(): Promise<void> {
    // Requests of the same turn of the event loop form one batch.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#pending.length > 0) {
      const batch = this.#take();
      try {
        await this.#commit(batch);
      } catch (error) {
        const failure = toEngineError(error, this.#parts.address);
        for (const { reject } of batch) reject(failure);
        this.#noteFailure(failure);
      }
    }
    this.#running = undefined;
  }

  #noteFailure(failure: EngineError): void {
    this.#stall.noteFailure(failure);
    const reason = describeStall(failure);
    if (reason === undefined || this.#parts.isOutage()) return;
    const refusal = storeUnreachable(reason);
    for (const { reject } of this.#pending.splice(0)) reject(refusal);
    this.#stall.begin(refusal, () => this.#probe());
  }

  /** Succeeds when the commit lock is free. */
  async #probe(): Promise<void> {
    const client = await this.#connect();
    await this.#parts.link.useOn(client, (each) =>
      each.query('SELECT 1 FROM lock WHERE id = 1 FOR UPDATE'),
    );
  }

  /**
   * The next requests that can share a batch: writes without a common key. A change of a region, and
   * a commit to be rolled back, run alone. A write that has to wait delays later ones of its keys.
   */
  #take(): readonly Pending[] {
    const [first] = this.#pending;
    const canShare = (request: StoreRequest): request is EntryRequest =>
      isKept(request) && !writesHistory(request, this.#parts.follower.state);
    if (first === undefined || !canShare(first.request)) return this.#pending.splice(0, 1);
    const taken: Pending[] = [];
    const left: Pending[] = [];
    const keys = new Set<string>();
    let characters = 0;
    let examined = 0;
    for (const pending of this.#pending) {
      const { request } = pending;
      const isFull = taken.length >= MAX_BATCH_REQUESTS || characters >= MAX_BATCH_CHARACTERS;
      if (!canShare(request) || isFull) break;
      examined += 1;
      const own = keysOf(request);
      const canJoin = own.every((key) => !keys.has(key));
      for (const key of own) keys.add(key);
      (canJoin ? taken : left).push(pending);
      if (canJoin) characters += countCharacters(partsOf(request));
    }
    this.#pending = [...left, ...this.#pending.slice(examined)];
    return taken;
  }

  async #commit(batch: readonly Pending[]): Promise<void> {
    let unsettled = batch;
    while (unsettled.length > 0) {
      const client = await this.#connect();
      await this.#parts.follower.catchUpAfterPause();
      const received = this.#parts.follower.state.sequence;
      unsettled = refuseStaleWrites(unsettled, this.#parts.follower.state);
      if (unsettled.length === 0) return;
      this.#batch += 1;
      try {
        await this.#parts.link.useOn(client, (each) => this.#send(each, unsettled, received));
        await this.#parts.link.useOn(client, this.#parts.onIdle).catch(() => undefined);
        return;
      } catch (error) {
        if (isOutdated(error)) {
          // The alteration may require another kind of commit for these requests.
          await this.#parts.follower.catchUp();
          this.#pending.unshift(...unsettled);
          return;
        }
        if (!isCut(error) && !isFenced(error)) throw error;
        if (this.#parts.forgetsLostBatches) throw error;
        this.#needsFence = true;
        unsettled = await this.#lookUp(unsettled, received, error);
      }
    }
  }

  /** A connection on which no earlier batch can still be in flight. */
  async #connect(): Promise<Client> {
    for (;;) {
      const client = await this.#parts.link.connect();
      try {
        await this.#parts.link.useOn(client, async (each) => {
          await this.#parts.follower.checkTimeline(each);
          if (this.#needsFence) await raiseFence(each, this.#parts.server);
          this.#needsFence = false;
        });
        return client;
      } catch (error) {
        if (!isCut(error)) throw error;
      }
    }
  }

  /** Reads what an earlier batch did. A connection that is cut meanwhile too is replaced. */
  async #read<T>(work: (client: Client) => Promise<T>): Promise<T> {
    for (;;) {
      const client = await this.#connect();
      try {
        return await this.#parts.link.useOn(client, work);
      } catch (error) {
        if (!isCut(error)) throw error;
      }
    }
  }

  /** Settles the committed requests of a lost batch; returns those that must be sent again. */
  async #lookUp(
    batch: readonly Pending[],
    received: number,
    loss: unknown,
  ): Promise<readonly Pending[]> {
    const { follower, server } = this.#parts;
    const { id } = server;
    const number = this.#batch;
    let committed: ReadonlyMap<number, number>;
    try {
      committed = await this.#read(async (each) => {
        const rows = await queryRows(each, {
          text: 'SELECT request_in_batch, sequence FROM changes WHERE sequence > $1 AND server = $2 AND batch = $3',
          values: [received, id, number],
        });
        return new Map(rows.map(([request, sequence]) => [Number(request), Number(sequence)]));
      });
      await follower.catchUp();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw outcomeUnknown(reason, loss);
    }
    const unsettled: Pending[] = [];
    for (const [i, pending] of batch.entries()) {
      const sequence = committed.get(i + 1);
      if (sequence === undefined) unsettled.push(pending);
      else if (pending.request.kind !== 'commit') {
        pending.resolve(outcomeOf(pending.request, sequence));
      } else await this.#settleCommit(pending, pending.request, sequence, loss);
    }
    return unsettled;
  }

  /** Settles a commit that is in the log. Its reads were lost with its answer, and are repeated. */
  async #settleCommit(
    { reject, resolve }: Pending,
    { writes }: CommitRequest,
    version: number,
    loss: unknown,
  ): Promise<void> {
    try {
      const reads = await this.#read((each) => readAsOf(each, writes, version));
      if (reads !== undefined) resolve({ kind: 'committed', version, reads });
      else reject(outcomeUnknown('it was made, but the entries it read have changed since', loss));
    } catch (error) {
      reject(outcomeUnknown(error instanceof Error ? error.message : String(error), loss));
    }
  }

  async #send(client: Client, batch: readonly Pending[], received: number): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    const { follower, onCommitted, server } = this.#parts;
    if (!isEntryRequest(first.request) || writesHistory(first.request, follower.state)) {
      await this.#commitAlone(client, first, received);
      return;
    }
    const startedMs = performance.now();
    const writes = new WriteBatch(batch.map(({ request }) => request).filter(isEntryRequest));
    const isCommitted = isKept(first.request);
    const { name, parameters } = writes.call;
    const values = [server.id, server.incarnation, this.#batch, received, ...parameters];
    const rows = await (isCommitted ? call(client, name, values) : rollBack(client, name, values));
    const origin = { server: server.id, batch: this.#batch };
    const { others, results } = writes.readAnswer(rows, origin);
    const commits = results.flatMap((result) =>
      isCommitted && result.kind === 'done' && result.rows.length > 0 ? [result.rows] : [],
    );
    this.#stall.noteCommit();
    if (commits.length > 0) onCommitted(commits.length, (performance.now() - startedMs) / 1000);
    if (!follower.receive([...others, ...commits.flat()])) await follower.catchUp();
    for (const [i, pending] of batch.entries()) settle(pending, results[i]);
  }

  /**
   * Commits one request in a transaction of several statements, which are decided here: a change of
   * a region, or a write to a region with history.
   */
  async #commitAlone(client: Client, pending: Pending, received: number): Promise<void> {
    const { follower, onCommitted } = this.#parts;
    const startedMs = performance.now();
    await client.query('BEGIN');
    try {
      await this.#beginCommit(client, received);
      // No other server can commit now, so the follower is at the latest commit.
      const { result, rows } = await this.#write(client, pending.request);
      const isCommitted = rows.length > 0;
      await client.query(isCommitted ? 'COMMIT' : 'ROLLBACK');
      if (isCommitted) {
        this.#stall.noteCommit();
        onCommitted(1, (performance.now() - startedMs) / 1000);
        follower.receive(rows);
      }
      settle(pending, result);
    } catch (error) {
      if (!isCut(error)) await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  /** `rows` are those of the log; none when nothing is to be committed. */
  async #write(client: Client, request: StoreRequest): Promise<CommitWithHistory> {
    const { follower, server } = this.#parts;
    const origin = { server: server.id, batch: this.#batch };
    if (isEntryRequest(request)) {
      const refusal = findStaleWrite(request, follower.state);
      if (refusal !== undefined) throw refusal;
      const commit = await commitWithHistory(client, request, { ...origin, follower, server });
      return isKept(request) ? commit : { ...commit, rows: [] };
    }
    const { change, outcome } = decide(request, follower.state);
    const rows =
      change === undefined ? [] : await writeChange(client, follower.state, change, origin);
    return { result: { kind: 'done', outcome, rows }, rows };
  }

  /** Takes the commit lock; afterwards the follower is at the latest commit. */
  async #beginCommit(client: Client, received: number): Promise<void> {
    const { follower, server } = this.#parts;
    const begun = await call(client, FUNCTIONS.begin, [server.id, server.incarnation, received]);
    const others = begun.map((raw) => toLogRow(raw.slice(1)));
    if (!follower.receive(others)) await follower.catchUp();
  }
}

/** Whether it writes entries and is not rolled back. */
function isKept(request: StoreRequest): request is EntryRequest {
  return request.kind === 'write' || (request.kind === 'commit' && request.end === 'keep');
}

function settle(pending: Pending, result: WriteResult | undefined): void {
  if (result?.kind === 'done') pending.resolve(result.outcome);
  else if (result !== undefined) pending.reject(result.error);
}

/** The outcomes of changes of regions that are in the log. */
const LOGGED_OUTCOMES = {
  'create-region': 'created',
  'destroy-region': 'destroyed',
  'alter-region': 'altered',
  'add-index': { kind: 'added' },
  'drop-index': 'dropped',
} as const;

function outcomeOf({ kind }: Exclude<StoreRequest, CommitRequest>, version: number): StoreOutcome {
  return kind === 'write' || kind === 'clear'
    ? { kind: 'committed', version }
    : LOGGED_OUTCOMES[kind];
}
