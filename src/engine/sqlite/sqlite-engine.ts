// The durable engine: one SQLite file in a data directory, one writer thread
// with group commit, read-only connections in the main thread. See docs/storage.md.

import { statSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { DEFAULT_MAX_CHANGE_AGE_MS, DEFAULT_MAX_CHANGES } from '../../value/default-limits.ts';
import { CommitCounts } from '../commit-counts.ts';
import { describeRegions } from '../describe-regions.ts';
import type {
  AddIndexOutcome,
  AlterRegionOutcome,
  ChangesOutcome,
  ChangesWanted,
  Commit,
  CommitEnd,
  CommitOutcome,
  DropIndexOutcome,
  Engine,
  EngineListener,
  Region,
  RegionDefinition,
  RegionDescription,
  RegionWrite,
  SequenceAtOutcome,
  Snapshot,
} from '../engine.ts';
import type { EngineHealth, EngineStats } from '../engine-stats.ts';
import { checkWrites } from '../entry-limits.ts';
import { engineClosed } from '../errors.ts';
import type { IndexDefinition } from '../index-definition.ts';
import { Listeners } from '../listeners.ts';
import { toStoredDefinition } from '../region-definition.ts';
import type { RegionAlteration } from '../region-settings.ts';
import { Checkpointer } from './checkpointer.ts';
import { toCommittedChanges } from './committed-changes.ts';
import { EntryCache } from './entry-cache.ts';
import { forgetChanges } from './forget-changes.ts';
import { syncLevelOf } from './open-store.ts';
import type { FromWriter } from './packed-batch.ts';
import type { ReadView } from './read-view.ts';
import { ReadViews } from './read-views.ts';
import type { RegionRow } from './schema.ts';
import { fromErrorMessage, mayBeTransient, toEngineError } from './sqlite-errors.ts';
import { type RegionContext, SqliteRegion } from './sqlite-region.ts';
import { SqliteSnapshot } from './sqlite-snapshot.ts';
import { type StoreFiles, storeFiles } from './store-files.ts';
import type {
  BatchAnswer,
  FailureNotice,
  StoreReply,
  StoreRequest,
  Submit,
  TestingOptions,
  WriterOptions,
  WriterThreadOptions,
} from './store-request.ts';
import { startThread } from './threads.ts';
import { WriteHealth } from './write-health.ts';
import { type StoreThreads, WriteQueue } from './write-queue.ts';

export interface SqliteEngineOptions {
  /** Created when absent, accessible to its owner only. One engine at a time may open it. */
  readonly directory: string;
  /** `always`: commits are synced before they are acknowledged. `relaxed`: a power cut may lose some. */
  readonly durability?: 'always' | 'relaxed';
  /** Changes kept for `readChanges`, and for how long. */
  readonly maxChanges?: number;
  readonly maxChangeAgeMs?: number;
  /**
   * Memory for each of two caches: pages of the store that is written to, 64 MiB at most, and values
   * that are read again, 128 MiB at most.
   */
  readonly cacheBytes?: number;
  /** Called with each notice for the operator that opening the store produced. */
  readonly onNote?: (note: string) => void;
  /** Deliberate crashes and faults for tests; no setting of the service reaches them. */
  readonly testing?: TestingOptions;
}

/** Opens the store of a directory; fails when it is damaged, newer than this program, or in use. */
export async function openSqliteEngine(options: SqliteEngineOptions): Promise<Engine> {
  const files = storeFiles(options.directory);
  const writerOptions: WriterOptions = {
    directory: options.directory,
    durability: options.durability ?? 'always',
    maxChanges: options.maxChanges ?? DEFAULT_MAX_CHANGES,
    maxChangeAgeMs: options.maxChangeAgeMs ?? DEFAULT_MAX_CHANGE_AGE_MS,
    cacheBytes: options.cacheBytes,
    testing: options.testing ?? {},
  };
  const answersTaken = new Int32Array(new SharedArrayBuffer(4));
  const threadOptions: WriterThreadOptions = { ...writerOptions, answersTaken };
  const worker = startThread('writer', threadOptions);
  const ready = await waitUntilReady(worker, files);
  for (const note of ready.notes) options.onNote?.(note);
  let checkpointer: Checkpointer | undefined;
  try {
    checkpointer = new Checkpointer(files, syncLevelOf(writerOptions));
    const engine = new SqliteEngine(
      files,
      { writer: worker, answersTaken, checkpointer },
      ready,
      options,
    );
    // A full disk is detected before a client's write fails. The probe is a separate batch, because
    // a full disk fails all writes of a batch.
    if (ready.mayBeFull) await engine.probeWrites();
    return engine;
  } catch (error) {
    // The thread holds the lock of the directory.
    await worker.terminate();
    checkpointer?.release();
    throw toEngineError(error, files.data);
  }
}

type Ready = Extract<FromWriter, { kind: 'ready' }>;

function waitUntilReady(worker: Worker, files: StoreFiles): Promise<Ready> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(toEngineError(error, files.data));
    worker.once('error', fail);
    worker.once('message', (message: FromWriter) => {
      worker.off('error', fail);
      if (message.kind === 'ready') resolve(message);
      else if (message.kind === 'refused') reject(fromErrorMessage(message.error));
    });
  });
}

class SqliteEngine implements Engine {
  readonly #files: StoreFiles;
  readonly #views: ReadViews;
  readonly #queue: WriteQueue;
  readonly #checkpointer: Checkpointer;
  readonly #writeHealth: WriteHealth;
  readonly #regions: Map<string, RegionRow> = new Map();
  readonly #regionNames: Map<number, string> = new Map();
  readonly #cache: EntryCache;
  readonly #regionContext: RegionContext;
  readonly #listeners = new Listeners();
  readonly #snapshots: Set<Snapshot> = new Set();
  readonly #counts = new CommitCounts();
  #sequence: number;
  #fileBytes = 0;
  #closing: Promise<void> | undefined;

  constructor(
    files: StoreFiles,
    threads: StoreThreads,
    ready: Ready,
    { cacheBytes, testing }: Pick<SqliteEngineOptions, 'cacheBytes' | 'testing'>,
  ) {
    this.#files = files;
    this.#checkpointer = threads.checkpointer;
    this.#sequence = ready.sequence;
    for (const row of ready.regions) this.#takeRegion(row);
    this.#cache = new EntryCache(cacheBytes);
    this.#queue = new WriteQueue(
      threads,
      { file: files.data, checkpointBytes: testing?.checkpointBytes },
      {
        onAnswer: (message, answered) => {
          this.#advance(message);
          for (const { request } of answered) {
            forgetChanges(this.#cache, request, (name) => this.#regions.get(name));
          }
        },
        onCommitted: (request, reply) => this.#notifyListeners(request, reply),
      },
    );
    this.#views = new ReadViews(files.data, () => this.#queue.isIdle);
    this.#writeHealth = new WriteHealth(() => this.probeWrites());
    this.#regionContext = {
      currentRow: (name, id) => this.#currentRow(name, id),
      useView: (read) => this.#useView(read),
      cache: this.#cache,
      submit: this.#submit,
    };
  }

  /** Tries a small write; its answer changes `health`, as that of any write. */
  async probeWrites(): Promise<void> {
    await this.#queue.submit({ kind: 'probe' }).catch(() => undefined);
  }

  async describeRegions(): Promise<readonly RegionDescription[]> {
    this.#requireOpen();
    return describeRegions(this.#regions.values());
  }

  async openRegion(name: string): Promise<Region | undefined> {
    this.#requireOpen();
    const row = this.#regions.get(name);
    return row === undefined ? undefined : new SqliteRegion(row, this.#regionContext);
  }

  createRegion(definition: RegionDefinition): Promise<'created' | 'exists'> {
    return this.#submit({ kind: 'create-region', definition: toStoredDefinition(definition) });
  }

  destroyRegion(name: string): Promise<'destroyed' | 'missing'> {
    return this.#submit({ kind: 'destroy-region', region: name });
  }

  alterRegion(name: string, alteration: RegionAlteration): Promise<AlterRegionOutcome> {
    return this.#submit({ kind: 'alter-region', region: name, alteration });
  }

  addIndex(region: string, index: IndexDefinition): Promise<AddIndexOutcome> {
    return this.#submit({ kind: 'add-index', region, index });
  }

  dropIndex(region: string, index: string): Promise<DropIndexOutcome> {
    return this.#submit({ kind: 'drop-index', region, index });
  }

  async commit(writes: readonly RegionWrite[], end: CommitEnd = 'keep'): Promise<CommitOutcome> {
    checkWrites(writes);
    return this.#submit({ kind: 'commit', writes, end });
  }

  async openSnapshot(): Promise<Snapshot> {
    this.#requireOpen();
    const view = this.#views.acquire();
    const snapshot = new SqliteSnapshot(view, this.#files.data, () => {
      this.#snapshots.delete(snapshot);
      this.#views.release(view);
    });
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  catchUp(): void {}

  listServers(): undefined {}

  async announce(): Promise<void> {}

  subscribe(listener: EngineListener): () => void {
    return this.#listeners.add(listener);
  }

  async readChanges(
    afterSequence: number,
    limit: number,
    wanted?: ChangesWanted,
  ): Promise<ChangesOutcome> {
    this.#requireOpen();
    return this.#useView((view) => view.changes.read(afterSequence, limit, wanted));
  }

  async findSequenceAt(atMs: number): Promise<SequenceAtOutcome> {
    this.#requireOpen();
    return this.#useView((view) => view.changes.findSequenceAt(atMs));
  }

  stats(): EngineStats {
    if (this.#closing === undefined) this.#fileBytes = sizeOf(this.#files);
    return {
      sequence: this.#sequence,
      ...this.#counts.read(),
      openSnapshots: this.#snapshots.size,
      fileBytes: this.#fileBytes,
    };
  }

  health(): EngineHealth {
    if (this.#closing !== undefined) return {};
    const unreadable = this.#views.findFailure()?.message;
    const unwritable = this.#writeHealth.reason ?? this.#queue.refusal?.message;
    return {
      ...(unreadable === undefined ? {} : { unreadable }),
      ...(unwritable === undefined ? {} : { unwritable }),
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#queue.drain();
    for (const snapshot of this.#snapshots) snapshot.close();
    // The order matters to the writer: see Writer.close.
    this.#writeHealth.close();
    const { hasFailed } = this.#writeHealth;
    if (!hasFailed) this.#views.close();
    await this.#queue.close();
    if (hasFailed) this.#views.close();
    this.#checkpointer.release();
    this.#listeners.clear();
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw engineClosed();
  }

  readonly #submit: Submit = (request) =>
    this.#closing === undefined ? this.#queue.submit(request) : Promise.reject(engineClosed());

  #currentRow(name: string, id: number): RegionRow | undefined {
    this.#requireOpen();
    const row = this.#regions.get(name);
    return row?.id === id ? row : undefined;
  }

  #useView<Result>(read: (view: ReadView) => Result): Result {
    try {
      return read(this.#views.current);
    } catch (error) {
      // Retry on a new connection, which shows the same commit: the failure may be transient.
      if (!mayBeTransient(error)) throw toEngineError(error, this.#files.data);
      this.#views.renew();
    }
    try {
      return read(this.#views.current);
    } catch (error) {
      throw toEngineError(error, this.#files.data);
    }
  }

  /** Applies the effects of a batch: readers and counts move to the same commit together. */
  #advance(answer: BatchAnswer | FailureNotice): void {
    this.#views.advance();
    if (!('replies' in answer)) {
      this.#writeHealth.takeFailure(answer);
      return;
    }
    this.#writeHealth.takeAnswer(answer);
    this.#takeRegions(answer);
    const writes = answer.sequence - this.#sequence;
    this.#sequence = answer.sequence;
    if (writes > 0) this.#counts.add(writes, answer.seconds);
  }

  #takeRegions({ defined, destroyed, counters }: BatchAnswer): void {
    for (const id of destroyed) {
      const name = this.#regionNames.get(id);
      if (name !== undefined) this.#regions.delete(name);
      this.#regionNames.delete(id);
      this.#views.forget(id);
      this.#cache.forgetRegion(id);
    }
    for (const row of defined) this.#takeRegion(row);
    for (let at = 0; at < counters.length; at += 5) {
      const [id = 0, entryCount = 0, valueBytes = 0, largestValue = 0, digest = 0] = counters.slice(
        at,
        at + 5,
      );
      const row = this.#regions.get(this.#regionNames.get(id) ?? '');
      if (row === undefined) continue;
      this.#takeRegion({ ...row, entryCount, valueBytes, largestValue, digest });
    }
  }

  #takeRegion(row: RegionRow): void {
    this.#regions.set(row.definition.name, row);
    this.#regionNames.set(row.id, row.definition.name);
  }

  #notifyListeners(request: StoreRequest, reply: Extract<StoreReply, { kind: 'done' }>): void {
    if (this.#listeners.isEmpty) return;
    const sequence = reply.sequence ?? this.#sequence;
    const commit: Commit = { sequence, changes: toCommittedChanges(request, reply.unchanged) };
    this.#listeners.notify(commit);
  }
}

/** Sizes by name, never by descriptor: see store-files.ts. */
function sizeOf(files: StoreFiles): number {
  return [files.data, files.log]
    .map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);
}
