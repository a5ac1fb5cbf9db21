// Runs batches of requests on the write connection. A batch is one transaction, with a savepoint per
// request where one of them could fail alone. Each request that changes something takes its own
// sequence, so two writes of one key never share a version, even within one batch.
//
// A crash before the commit loses the whole batch, a crash after it nothing.

import type { DatabaseSync } from 'node:sqlite';
import type { Change, RegionDefinition } from '../engine.ts';
import { type EngineError, regionGone } from '../errors.ts';
import { ChangeLog } from './change-log.ts';
import type { LoggedChange } from './change-rows.ts';
import { type DefineContext, runRegionRequest } from './define-regions.ts';
import { Failpoint } from './failpoint.ts';
import { FreeSpace } from './free-space.ts';
import { LogKeeper } from './log-keeper.ts';
import { type OpenStore, openStore, syncLevelOf } from './open-store.ts';
import { EMPTY_REGION, RegionWriter } from './region-writer.ts';
import { fillReserve, freeReserve } from './reserve.ts';
import {
  createStateStatements,
  entriesTable,
  PAGE_BYTES,
  type RegionRow,
  readRegionRows,
  readStoreRow,
  type StateStatements,
} from './schema.ts';
import { SpareTables } from './spare-tables.ts';
import {
  type ErrorMessage,
  fromErrorMessage,
  isReadFailure,
  toEngineError,
  toErrorMessage,
} from './sqlite-errors.ts';
import { type StoreFiles, storeFiles } from './store-files.ts';
import { done, toFailedReply } from './store-reply.ts';
import type {
  BatchAnswer,
  FailureNotice,
  StoreReply,
  StoreRequest,
  WriterOptions,
} from './store-request.ts';
import { prepareTransaction, type TransactionStatements } from './transaction-statements.ts';
import { WriteConnection } from './write-connection.ts';
import { runCommit, runWrite, type WriteContext } from './write-entries.ts';

/** Pages that a commit writes besides those of its entries: store, regions, changes. */
const PAGES_PER_COMMIT = 3;

export class Writer {
  readonly #options: WriterOptions;
  readonly #files: StoreFiles;
  readonly #store: OpenStore;
  readonly #database: DatabaseSync;
  readonly #connection: WriteConnection;
  readonly #log: LogKeeper;
  readonly #freeSpace: FreeSpace;
  readonly #failpoint: Failpoint;
  readonly #statements: TransactionStatements;
  readonly #state: StateStatements;
  readonly #spares: SpareTables;
  readonly #context: WriteContext & DefineContext;
  #changeLog: ChangeLog;
  #regions: Map<string, RegionWriter> = new Map();
  #sequence = 0;
  /** Whether the mark names the last commit. */
  #isMarked = true;
  /** Set once a failed commit left the state of the disk unknown: no more writes. */
  #failure: EngineError | undefined;
  /** The time at which the running batch began. */
  #nowMs = 0;
  /** Regions that the running batch wrote, with the row that each had before. */
  #written: Map<RegionWriter, RegionRow> = new Map();
  #defined: Set<RegionWriter> = new Set();
  #destroyed: number[] = [];

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#files = storeFiles(options.directory);
    this.#failpoint = new Failpoint(options.testing.crash);
    this.#freeSpace = new FreeSpace(this.#files.directory);
    this.#store = openStore(this.#files, { ...options, durability: syncLevelOf(options) });
    this.#database = this.#store.database;
    this.#connection = new WriteConnection(this.#database);
    this.#log = new LogKeeper(this.#database, { ...this.#store, ...options, files: this.#files });
    this.#statements = prepareTransaction(this.#database);
    this.#state = createStateStatements(this.#database);
    this.#spares = new SpareTables(this.#database);
    this.#changeLog = new ChangeLog(this.#database, options);
    this.#context = {
      sequence: () => this.#sequence,
      find: (name) => this.#regions.get(name),
      require: (name, id) => this.#require(name, id),
      midWrite: () => this.#failpoint.pass('mid-write'),
      record: (changes) => this.#record(changes),
      accept: (region, row, changes) => this.#accept(region, row, changes),
      undo: () => this.#statements.undo.run(),
      stamp: () => ({ sequence: this.#sequence + 1, nowMs: this.#nowMs }),
      create: (definition) => this.#create(definition),
      destroy: (region) => this.#destroy(region),
      define: (region, row) => this.#define(region, row),
      count: (region, row) => this.#accept(region, row, []),
    };
    this.#load(this.#store.sequence, this.#store.regions);
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** Findings of opening the store. */
  get found(): Pick<OpenStore, 'mayBeFull' | 'notes'> {
    return this.#store;
  }

  regionRows(): readonly RegionRow[] {
    return [...this.#regions.values()].map((region) => region.row);
  }

  failureNotice(): FailureNotice {
    return this.#failure === undefined ? {} : { failure: toErrorMessage(this.#failure) };
  }

  /** Never throws: the replies carry the errors. */
  run(
    requests: readonly StoreRequest[],
    beforeCommit?: (answer: () => BatchAnswer) => void,
  ): BatchAnswer {
    const startedMs = performance.now();
    this.#written = new Map();
    this.#defined = new Set();
    this.#destroyed = [];
    const failure = this.#failure;
    const replies =
      failure === undefined
        ? this.#runBatch(requests, beforeCommit)
        : requests.map(() => toFailedReply(failure));
    return this.#toAnswer(replies, (performance.now() - startedMs) / 1000);
  }

  /** Call this after the answer was sent, so that clients do not wait for the mark. */
  markCommit(): void {
    if (this.#isMarked || this.#failure !== undefined) return;
    this.#isMarked = true;
    try {
      this.#log.mark(this.#sequence);
    } catch (error) {
      this.#failUnlessFull(error);
    }
  }

  /**
   * Copies the log into the data file as far as readers allow; never waits for them. `failure` is the
   * error of the checkpoint thread: a full disk is transient, but a failed sync is never retried.
   */
  checkpoint(failure?: ErrorMessage): number {
    if (this.#failure !== undefined) return this.#log.bytes;
    try {
      if (failure !== undefined && failure.code !== 'engine/store-full') {
        throw fromErrorMessage(failure);
      }
      this.#log.checkpoint(this.#sequence);
    } catch (error) {
      this.#failUnlessFull(error);
    }
    return this.#log.bytes;
  }

  /**
   * Readers must be closed before, or the log stays and the next start takes longer. After a failure
   * they must be closed later instead: the last connection to close would sync the log, and a failed
   * sync is never retried.
   */
  close(): void {
    if (this.#failure === undefined) {
      try {
        this.#log.requireInPlace();
        this.#log.truncate(this.#sequence);
        freeReserve(this.#files);
        this.#state.writeStore({ sequence: this.#sequence, clean: true });
        this.#log.truncate(this.#sequence);
      } catch (error) {
        // All commits are in the log. On a full disk the next start could not unmark a clean store.
        this.#failUnlessFull(error);
        this.#log.rescue(this.#sequence, this.#failure);
      }
    }
    this.#log.close();
    this.#database.close(); // Frees the space of the log and its index.
    fillReserve(this.#files);
    this.#store.lock.close();
  }

  #runBatch(
    requests: readonly StoreRequest[],
    beforeCommit: ((answer: () => BatchAnswer) => void) | undefined,
  ): readonly StoreReply[] {
    const sequenceBefore = this.#sequence;
    let isCommitting = false;
    try {
      this.#statements.begin.run();
      this.#nowMs = Date.now();
      const replies =
        this.#runTogether(requests) ?? requests.map((request) => this.#runRequest(request));
      if (this.#sequence !== sequenceBefore) this.#finishBatch();
      else for (const region of this.#defined) this.#state.writeRegion(region.row);
      beforeCommit?.(() => this.#toAnswer(replies, 0));
      this.#log.requireInPlace();
      this.#failpoint.pass('before-commit');
      isCommitting = true;
      this.#statements.commit.run();
      this.#isMarked = false;
      this.#failpoint.pass('after-commit');
      return replies;
    } catch (error) {
      const failure = this.#abandonBatch(error, isCommitting ? 'unknown' : 'unwritten');
      return requests.map(() => toFailedReply(failure));
    }
  }

  #finishBatch(): void {
    for (const region of new Set([...this.#written.keys(), ...this.#defined])) {
      this.#state.writeRegion(region.row);
    }
    this.#changeLog.write(this.#nowMs);
    this.#state.writeStore({ sequence: this.#sequence, clean: false });
    this.#log.addExpected(PAGES_PER_COMMIT * PAGE_BYTES);
  }

  /**
   * Runs a batch of writes without savepoints, for most errors are found before anything is written.
   * After any other error it rolls back and returns undefined: each request must then run in its own
   * savepoint.
   */
  #runTogether(requests: readonly StoreRequest[]): readonly StoreReply[] | undefined {
    if (!requests.every(({ kind }) => kind === 'write')) return undefined;
    const sequenceBefore = this.#sequence;
    try {
      return requests.map((request) => this.#execute(request));
    } catch (error) {
      if (!this.#isLocal(error)) throw error;
      this.#database.exec('ROLLBACK');
      for (const [region, row] of this.#written) region.accept(row);
      this.#written.clear();
      this.#sequence = sequenceBefore;
      this.#changeLog.undoTo(0);
      this.#statements.begin.run();
      return undefined;
    }
  }

  /** Whether an error concerns only its request: SQLite has not ended the transaction. */
  #isLocal(error: unknown): boolean {
    const { code } = toEngineError(error, this.#files.data);
    return code !== 'engine/store-full' && this.#database.isTransaction;
  }

  /**
   * Runs one request in a savepoint, so that an error undoes only this request. Throws errors after
   * which SQLite has ended the whole transaction.
   */
  #runRequest(request: StoreRequest): StoreReply {
    const sequenceBefore = this.#sequence;
    const pendingBefore = this.#changeLog.pending;
    this.#statements.savepoint.run();
    try {
      const reply = this.#execute(request);
      this.#statements.release.run();
      return reply;
    } catch (error) {
      if (!this.#isLocal(error)) throw error;
      this.#statements.undo.run();
      this.#statements.release.run();
      this.#sequence = sequenceBefore;
      this.#changeLog.undoTo(pendingBefore);
      this.#spares.forget();
      return toFailedReply(toEngineError(error, this.#files.data));
    }
  }

  #execute(request: StoreRequest): StoreReply {
    switch (request.kind) {
      case 'write':
        return runWrite(request, this.#context);
      case 'commit':
        return runCommit(request, this.#context);
      case 'probe':
        this.#state.writeStore({ sequence: this.#sequence, clean: false });
        return done('probed');
      default:
        return runRegionRequest(request, this.#context);
    }
  }

  #accept(region: RegionWriter, row: RegionRow, changes: readonly Change[]): void {
    if (!this.#written.has(region)) this.#written.set(region, region.row);
    region.accept(row);
    for (const each of changes) {
      this.#log.addExpected(PAGE_BYTES + (each.kind === 'put' ? each.value.length : 0));
    }
  }

  #record(changes: readonly LoggedChange[]): number {
    this.#changeLog.record(this.#sequence + 1, changes);
    this.#sequence += 1;
    return this.#sequence;
  }

  #require(name: string, id: number): RegionWriter {
    const region = this.#regions.get(name);
    if (region === undefined || region.row.id !== id) throw regionGone(name);
    return region;
  }

  #create(definition: RegionDefinition): RegionWriter {
    const row = { ...EMPTY_REGION, id: this.#spares.take(this.#regions.size), definition };
    this.#state.writeRegion(row);
    const region = new RegionWriter(this.#connection, this.#files.data, row);
    this.#regions.set(definition.name, region);
    this.#defined.add(region);
    return region;
  }

  #define(region: RegionWriter, row: RegionRow): void {
    region.accept(row);
    this.#defined.add(region);
  }

  #destroy(region: RegionWriter): void {
    const { id, definition } = region.row;
    region.removeLargeValues();
    this.#database.exec(`DROP TABLE ${entriesTable(id)}; DELETE FROM regions WHERE id = ${id}`);
    this.#regions.delete(definition.name);
    this.#written.delete(region);
    this.#defined.delete(region);
    this.#destroyed.push(id);
  }

  /** Undoes a batch whose commit did not happen, in the file and in memory. */
  #abandonBatch(error: unknown, onDisk: 'unknown' | 'unwritten'): EngineError {
    const cause = this.#log.explain(error);
    // A read that failed before the commit changed nothing, and may succeed the next time.
    const failure =
      onDisk === 'unwritten' && isReadFailure(cause)
        ? toEngineError(cause, this.#files.data)
        : this.#failUnlessFull(cause);
    this.#spares.forget();
    this.#written.clear();
    this.#defined.clear();
    this.#destroyed = [];
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      const { sequence } = readStoreRow(this.#database, this.#files.data);
      this.#load(sequence, readRegionRows(this.#database, this.#files.data));
      this.#changeLog = new ChangeLog(this.#database, this.#options);
    } catch (second) {
      this.#failure ??= toEngineError(second, this.#files.data);
    }
    this.#log.rescue(this.#sequence, this.#failure);
    return failure;
  }

  /** A full disk is transient; after any other failure the state of the disk is unknown. */
  #failUnlessFull(error: unknown): EngineError {
    const failure = toEngineError(error, this.#files.data);
    if (failure.code !== 'engine/store-full') this.#failure ??= failure;
    return failure;
  }

  #load(sequence: number, rows: readonly RegionRow[]): void {
    this.#sequence = sequence;
    this.#regions = new Map(
      rows.map((row) => [
        row.definition.name,
        new RegionWriter(this.#connection, this.#files.data, row),
      ]),
    );
  }

  #toAnswer(replies: readonly StoreReply[], seconds: number): BatchAnswer {
    const counters: number[] = [];
    for (const { row } of this.#written.keys()) {
      counters.push(row.id, row.entryCount, row.valueBytes, row.largestValue, row.digest);
    }
    return {
      kind: 'answer',
      replies,
      sequence: this.#sequence,
      defined: [...this.#defined].map((region) => region.row),
      destroyed: this.#destroyed,
      counters,
      logBytes: this.#log.bytes,
      freeBytes: this.#freeSpace.bytes(),
      seconds,
      ...this.failureNotice(),
    };
  }
}
