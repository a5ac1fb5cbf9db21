// A table that follows commits. Without readers, changes become pending; they are applied in idle
// time, or by the next query before it reads. With readers, changes are added as new rows.
//
//   applying  pending changes that are being applied, in idle time or by a query
//   deferred  those of them that are applied to the parts that a query needed, but not to others
//   pending   came after those while there was no pin; one for each key
//   queued    after those, in commit order: came while a pin was held and the table was being
//             loaded, or pending changes were being applied
//   appended  added as rows after the others; pending again when the last pin is gone, to be
//             written where their keys belong

import type { YieldPoints } from '../value/column-data.ts';
import type { PartSplit } from './part-split.ts';
import { PendingChanges } from './pending-changes.ts';
import { PendingSets } from './pending-sets.ts';
import { RegionTable, type TableChange } from './region-table.ts';

interface Queued {
  readonly change: TableChange;
  readonly sequence: number;
}

/** Changes applied between two reads of the clock. */
const CHANGES_PER_PAUSE = 32;
/** Applying them takes about a millisecond. */
const FEW_CHANGES = 128;
/** Making them pending takes about a millisecond. */
const SOME_QUEUED = 1024;
const MANY_QUEUED = 16_384;
/** Pending index entries from which they are merged in idle time. */
const MANY_ENTRIES = 16_384;
/** Maximum of index entries left to the next reader, some 30 milliseconds of work. */
const MAX_ENTRIES = 65_536;
/** Share of the rows of a table: with more changes, rebuilding the table is faster. */
const PENDING_SHARE = 0.25;
/** The same as a share of its bytes. */
const PENDING_BYTES_SHARE = 0.5;
/** Below this, a table is not rebuilt because of pending bytes. */
const PENDING_BYTES = 32 << 20;

export class FollowedTable {
  readonly table: RegionTable = new RegionTable();
  /** Builds of one table run one at a time. */
  work: Promise<void> = Promise.resolve();
  /** Whether parts or indexes are in the table that are not complete yet. */
  isBuilding = false;
  /** The earliest sequence a query may read at. */
  since: number | undefined;
  /** It no longer follows commits: the store drops it, and the next query rebuilds it. */
  isStale = false;
  readonly #pending = new PendingSets(this.table);
  #queued: Queued[] = [];
  /** Changes that were appended as rows while a query held a pin; undefined if there are too many. */
  #appended: PendingChanges | undefined = new PendingChanges();
  /** Changes received so far; constant while there are no writes. */
  received = 0;
  readonly #spareBytes: () => number;

  /** `spareBytes` is the remaining memory budget of all tables. */
  constructor(spareBytes: () => number) {
    this.#spareBytes = spareBytes;
  }

  /** Changes that the next query would have to apply. */
  get pendingCount(): number {
    return this.#pending.size + this.#pending.deferred + this.#queued.length;
  }

  /** Whether a set of pending changes is partly applied. */
  get isApplying(): boolean {
    return this.#pending.isApplying;
  }

  /** Whether pending changes may be applied in the background. */
  get isApplicable(): boolean {
    const { loaded, pins } = this.table;
    if (!loaded || pins > 0 || this.isStale) return false;
    return this.#pending.size + this.#pending.deferred > 0 || this.table.pendingEntries > 0;
  }

  /** Applies pending changes until `isDue`; a query that comes in the meantime applies the rest. */
  applySome(isDue: () => boolean): void {
    while (this.isApplicable && this.#applyOrMerge() && !isDue());
  }

  /** Indexes merge their entries when there are many, and after all other work. */
  #applyOrMerge(): boolean {
    const isMuch = !this.isApplying && this.table.pendingEntries >= MANY_ENTRIES;
    return (isMuch && this.table.mergeStep()) || this.#applyStep() || this.table.mergeStep();
  }

  /** Call it with the changes of each commit, in order. */
  take(change: TableChange, sequence: number): void {
    this.received += 1;
    const { loaded, pins } = this.table;
    if (!loaded || this.#queued.length > 0 || (pins > 0 && this.#pending.size > 0)) {
      this.#queued.push({ change, sequence });
      if (loaded) this.#shortenQueue();
    } else {
      this.#takeNext(change, sequence);
    }
  }

  /** Call it when a query has ended. */
  release(): void {
    this.table.pins -= 1;
    if (this.table.pins > 0) return;
    // No query loaded it, so it would queue commits for ever.
    if (!this.table.loaded) this.isStale = true;
    else {
      this.#takeAppended();
      // Changes left in the queue are added as rows for the next reader.
      this.#takeQueued(SOME_QUEUED);
    }
  }

  /** Makes appended changes pending. Nothing became pending during the pin, so they come first. */
  #takeAppended(): void {
    const appended = this.#appended;
    if (appended?.size === 0) return;
    this.#appended = new PendingChanges();
    if (appended !== undefined) this.#pending.take(appended);
  }

  /** Call it when all entries as of `since` are in the table. */
  endLoad(): void {
    const since = this.since ?? 0;
    this.#queued = this.#queued.filter(({ sequence }) => sequence > since);
    this.table.loaded = true;
  }

  /**
   * Applies pending changes to the units of a query, or to all parts. Queries that hold a pin took it
   * after the last of those changes and have not read these units yet, so rows may be overwritten.
   * Changes that came while a pin was held are added up to `sequence`, and later ones only if they
   * are few: fast writers would otherwise keep it from ending.
   */
  async catchUp(
    sequence: number,
    pacer: YieldPoints,
    units: ReadonlySet<string> | undefined,
  ): Promise<void> {
    const isMuch = this.pendingCount > FEW_CHANGES && units !== undefined;
    const split = isMuch ? this.table.split(units) : undefined;
    const isDone = (): boolean => split !== undefined && this.#pending.isAppliedTo(split);
    while (!isDone() && this.#applyStep(split)) if (pacer.isSliceOver()) await pacer.pause();
    // A query that reads an index merges everything; others only keep it within bounds.
    await this.#mergeExcess(pacer);
    for (;;) {
      this.#takeQueued(CHANGES_PER_PAUSE);
      const isOver = (this.#queued[0]?.sequence ?? Number.POSITIVE_INFINITY) > sequence;
      const left = this.#queued.length;
      if (left === 0 || (isOver && left > FEW_CHANGES)) return;
      if (!isOver && pacer.isSliceOver()) await pacer.pause();
    }
  }

  async #mergeExcess(pacer: YieldPoints): Promise<void> {
    while (this.table.pendingEntries >= MAX_ENTRIES && this.table.mergeStep()) {
      if (pacer.isSliceOver()) await pacer.pause();
    }
  }

  /** Applies all changes without yielding; false if there is a pin or much to do, or it became stale. */
  catchUpAtOnce(): boolean {
    if (this.table.pins > 0 || this.pendingCount > FEW_CHANGES) return false;
    this.#takeQueued(FEW_CHANGES);
    while (this.#applyStep());
    return !this.isStale;
  }

  sizeBytes(): number {
    const appended = this.#appended?.sizeBytes() ?? 0;
    return this.table.sizeBytes() + this.#pending.sizeBytes() + appended;
  }

  /** A commit must never fail because of derived data. */
  #takeNext(change: TableChange, sequence: number): void {
    try {
      if (this.table.pins > 0) this.#append(change, sequence);
      else this.#addPending(change, sequence);
    } catch {
      // Running queries never read later rows.
      this.isStale = true;
    }
  }

  #append(change: TableChange, sequence: number): void {
    this.table.append(change, sequence);
    if (this.#appended?.add(change, sequence) === false) this.#appended = undefined;
  }

  /** With too many pending changes, the next query rebuilds the table. */
  #addPending(change: TableChange, sequence: number): void {
    if (this.#pending.add(change, sequence)) return;
    const bytes = Math.max(PENDING_BYTES, this.table.sizeBytes() * PENDING_BYTES_SHARE);
    const hasRoom = this.#pending.extend({
      changes: this.table.rows.size * PENDING_SHARE,
      bytes: Math.min(bytes, this.#spareBytes()),
    });
    if (!hasRoom) this.isStale = true;
  }

  #takeQueued(count: number): void {
    for (const { change, sequence } of this.#queued.splice(0, count)) {
      this.#takeNext(change, sequence);
    }
  }

  /** Called with every added change; without a pin the queue is soon empty. */
  #shortenQueue(): void {
    const { pins, rows } = this.table;
    if (pins === 0) this.#takeQueued(FEW_CHANGES);
    else if (this.#queued.length > Math.max(MANY_QUEUED, rows.size * PENDING_SHARE)) {
      this.isStale = true;
    }
  }

  /** Up to the next yield point; false when nothing is pending, or the table must be rebuilt. */
  #applyStep(split?: PartSplit): boolean {
    try {
      return !this.isStale && this.#pending.step(split);
    } catch {
      this.isStale = true;
      return false;
    }
  }
}
