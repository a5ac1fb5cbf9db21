// The result of one text with its parameters, kept up to date for all of its consumers.
//
// A query whose entries are independent of each other is followed change by change: the rows of a
// changed entry are computed from that entry alone. Every other query is run again after a change of
// a region that it reads, and the two results are compared. Either way the rows are those of one
// sequence, and each batch of deltas leads from one such moment to a later one.

import { EngineError } from '../../engine/errors.ts';
import { EntryRows, OqlError, printBound, type RunContext } from '../../oql/index.ts';
import type { Struct } from '../../value/value.ts';
import { GridError } from '../errors.ts';
import type { GridLimits } from '../limits.ts';
import { type EntryChange, LiveResult } from './live-result.ts';
import { entryIds, type LiveRow, RowReader } from './live-row.ts';
import {
  type LiveRuns,
  type LiveText,
  type PreparedLive,
  requireRoom,
  SLICE_MS,
} from './live-runs.ts';
import { ChangedEntry, type SourceChange, SourceChanges } from './source-changes.ts';

export interface SourceParts {
  readonly runs: LiveRuns;
  readonly limits: GridLimits;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly pause: () => Promise<void>;
  /** Called for each entry that was evaluated on its own. */
  readonly onEvaluated: () => void;
}

/** The pending work of a source: evaluate changed entries at once, or run the query at `atMs`. */
export type Due =
  | { readonly kind: 'evaluate-changes' }
  | { readonly kind: 'run'; readonly atMs: number };

/** Changes kept without a consumer. If a consumer returns after more of them, the query is run. */
const MAX_IDLE = 100;
/** Interval of runs of a query that reads the clock, regardless of writes. */
const CLOCK_MS = 1_000;

export class LiveSource {
  readonly text: LiveText;
  /** Its key in the registry. */
  readonly key: string;
  readonly result: LiveResult = new LiveResult();
  readonly #parts: SourceParts;
  #prepared: PreparedLive;
  #entries: EntryRows | undefined;
  /** For evaluating entries; it does not depend on the time. */
  #context: RunContext | undefined;
  #pending = new SourceChanges();
  /** The last commit that touched a region it reads. */
  #changedAt = 0;
  #wanted: 'nothing' | 'difference' | 'reset' = 'reset';
  #startedMs = Number.NEGATIVE_INFINITY;
  #tookMs = 0;
  #hasRun = false;
  /** Its current work. */
  #current: Promise<unknown> | undefined;
  readonly #signal = { aborted: false };
  consumers = 0;

  constructor(key: string, text: LiveText, prepared: PreparedLive, parts: SourceParts) {
    this.key = key;
    this.text = text;
    this.#prepared = prepared;
    this.#parts = parts;
  }

  get regions(): readonly string[] {
    return this.#prepared.query.regions;
  }

  get way(): 'followed' | 'run-again' {
    return this.#prepared.identified.followed === undefined ? 'run-again' : 'followed';
  }

  /** Receives the changes of one commit in one of the regions it reads. */
  receive(sequence: number, changes: readonly SourceChange[]): void {
    this.#changedAt = sequence;
    const isIdle = this.consumers === 0;
    if (isIdle && this.#wanted === 'nothing' && this.#pending.count + changes.length > MAX_IDLE) {
      this.#pending = new SourceChanges();
      this.requestRun('difference');
    }
    // That run will include the changes.
    if (isIdle && this.#wanted !== 'nothing') return;
    for (const change of changes) {
      if (!(change instanceof ChangedEntry) && change.kind === 'region')
        this.requestRun('difference');
      else if (this.way === 'followed') this.#pending.add(change);
    }
  }

  /** Requests a run. After a reset every consumer gets a new snapshot. */
  requestRun(mode: 'difference' | 'reset'): void {
    if (this.#wanted !== 'reset') this.#wanted = mode;
  }

  /** Undefined while there is no work, or work is running. */
  due(): Due | undefined {
    if (this.#current !== undefined || this.#signal.aborted || this.result.failure !== undefined)
      return undefined;
    // Without a consumer the rows are not needed yet.
    if (this.consumers === 0) return undefined;
    const isPending = !this.#pending.isEmpty;
    if (this.#wanted === 'nothing' && isPending && !this.#pending.isIncomplete) {
      return { kind: 'evaluate-changes' };
    }
    const { liveIntervalMs } = this.#parts.limits;
    // A long run is repeated less often, so that the query runs at most half of the time.
    const nextMs = this.#startedMs + Math.max(liveIntervalMs, 2 * this.#tookMs);
    const isChanged = this.way === 'run-again' && this.#changedAt > this.result.sequence;
    if (this.#wanted !== 'nothing' || isPending || isChanged) return { kind: 'run', atMs: nextMs };
    if (!this.#prepared.query.parameters.hasQueryTime) return undefined;
    return { kind: 'run', atMs: Math.max(nextMs, this.#startedMs + CLOCK_MS) };
  }

  /**
   * Waits until the rows include every commit received before the call. Resolves with the error
   * when that is not possible now.
   */
  async refresh(): Promise<unknown> {
    const target = this.#changedAt;
    const isBehind = (): boolean =>
      !this.#hasRun || this.#wanted !== 'nothing' || target > this.result.sequence;
    while (isBehind() && this.result.failure === undefined) {
      const isEvaluating = this.#current === undefined && this.due()?.kind === 'evaluate-changes';
      const error = await (this.#current ?? (isEvaluating ? this.evaluateChanges() : this.run()));
      if (error !== undefined) return error;
    }
    return this.result.failure?.error;
  }

  /** Evaluates changed entries. Resolves with the error if it fails, as `run` does. */
  evaluateChanges(): Promise<unknown> {
    return this.#work(async () => {
      const pending = this.#pending;
      this.#pending = new SourceChanges();
      if (!(await this.#isBoundAlike())) {
        this.requestRun('difference');
        return;
      }
      await this.#apply(pending);
      const { rowCount, sizeBytes } = this.result;
      requireRoom(rowCount, sizeBytes, this.#parts.limits);
      // A run reports the error.
      if (this.result.hasClash) this.requestRun('difference');
    });
  }

  /** Runs the query and replaces the rows. */
  run(): Promise<unknown> {
    return this.#work(async () => {
      const { now, runs } = this.#parts;
      const mode = this.#wanted === 'reset' ? 'reset' : 'difference';
      this.#wanted = 'nothing';
      this.#startedMs = now();
      try {
        const { prepared, rows, sequence } = await runs.run(this.text, this.#signal);
        this.#adopt(prepared);
        this.#hasRun = true;
        this.#pending.forgetUntil(sequence);
        this.result.replaceAll(sequence, rows, mode);
      } catch (error) {
        this.requestRun(mode);
        throw error;
      } finally {
        this.#tookMs = now() - this.#startedMs;
      }
    });
  }

  close(): void {
    this.#signal.aborted = true;
  }

  #work(step: () => Promise<void>): Promise<unknown> {
    const current = step().then(
      () => undefined,
      (error: unknown) => {
        if (!this.#hasRun || !isTransient(error)) this.result.fail(error);
        return error;
      },
    );
    this.#current = current.finally(() => {
      this.#current = undefined;
    });
    return this.#current;
  }

  #adopt(prepared: PreparedLive): void {
    const { identified } = prepared;
    if (identified !== this.#prepared.identified || this.#entries === undefined) {
      this.#entries = identified.followed === undefined ? undefined : new EntryRows(identified);
    }
    this.#prepared = prepared;
    this.#context = undefined;
    this.result.isResumable = !prepared.query.parameters.hasQueryTime;
  }

  /** Names may bind differently once regions have other members. */
  async #isBoundAlike(): Promise<boolean> {
    const { runs } = this.#parts;
    if (runs.isCurrent(this.#prepared)) return true;
    const prepared = await runs.prepare(this.text);
    const isAlike = printBound(prepared.query.body) === printBound(this.#prepared.query.body);
    if (isAlike) this.#prepared = { ...prepared, identified: this.#prepared.identified };
    return isAlike;
  }

  async #apply(pending: SourceChanges): Promise<void> {
    const { now, pause, runs } = this.#parts;
    const { identified } = this.#prepared;
    this.#context ??= runs.context(this.#prepared, this.text);
    const context = this.#context;
    const changes: EntryChange[] = [];
    let sliceStartMs = now();
    pending.forgetUntil(this.result.sequence);
    if (pending.isEmpty) return;
    for (const change of pending.list()) {
      const rows = change.text === undefined ? [] : this.#evaluate(change, context);
      changes.push({
        rows: rows instanceof Promise ? await rows : rows,
        ids: entryIds(identified, change.key),
      });
      if (now() - sliceStartMs < SLICE_MS) continue;
      await pause();
      sliceStartMs = now();
    }
    this.result.changeEntries(pending.sequence, changes, pending.isCleared);
  }

  #evaluate(
    { key, value }: ChangedEntry,
    context: RunContext,
  ): readonly LiveRow[] | Promise<readonly LiveRow[]> {
    this.#parts.onEvaluated();
    const reader = new RowReader(this.#prepared.identified);
    const read = (found: readonly Struct[]): readonly LiveRow[] =>
      found.map((struct) => reader.readStruct(struct));
    const structs = this.#entries?.evaluate(key, value, context) ?? [];
    return structs instanceof Promise ? structs.then(read) : read(structs);
  }
}

/** Transient failures: of the store, or of an overloaded server. */
function isTransient(error: unknown): boolean {
  if (error instanceof EngineError) return true;
  if (error instanceof OqlError) return error.code === 'oql/data-unavailable';
  return error instanceof GridError && error.code === 'grid/too-many-queries';
}
