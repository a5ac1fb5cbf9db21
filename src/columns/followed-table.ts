// A table and the commits that reach it. While nobody reads, changes become pending; they are applied
// in idle time, or by the next query before it reads. While somebody reads, changes are added as rows
// of their own.
//
//   applying  pending changes that are being applied, begun by idle time or by a query
//   pending   came after those while there was no pin; one for each key
//   queued    after those, in commit order: came while a pin was held and the table was being
//             loaded, or pending changes were being applied
//   beside    added as rows of their own; they are pending again when the last pin is gone, to be
//             written where their keys belong

import type { BuildPacer } from './build-columns.ts';
import { PendingChanges } from './pending-changes.ts';
import { RegionTable, type TableChange } from './region-table.ts';

interface Queued {
  readonly change: TableChange;
  readonly sequence: number;
}

interface Applying {
  readonly changes: PendingChanges;
  readonly steps: Generator<void>;
}

/** Changes applied between two reads of the clock. */
const CHANGES_PER_PAUSE = 32;
/** So many changes take about a millisecond. */
const FEW_CHANGES = 128;
/** So many become pending in about a millisecond. */
const SOME_QUEUED = 1024;
const MANY_QUEUED = 16_384;
/** Entries that came to indexes: so many are taken over together, in idle time. */
const MANY_ENTRIES = 16_384;
/** So many at most are left to the next reader of an index, some 30 milliseconds. */
const MAX_ENTRIES = 65_536;
/** Of the rows of a table: to apply more changes takes longer than to build the table anew. */
const PENDING_SHARE = 0.25;
/** Of the bytes of a table. */
const PENDING_BYTES_SHARE = 0.5;
/** A table of few small columns is not built anew for less. */
const PENDING_BYTES = 32 << 20;

export class FollowedTable {
  readonly table: RegionTable = new RegionTable();
  /** Builds of one table run one after another. */
  work: Promise<void> = Promise.resolve();
  /** The earliest sequence a query may read at. */
  since: number | undefined;
  /** True once it no longer follows: to be let go, and built anew by the next query. */
  isLost = false;
  #pending: PendingChanges = new PendingChanges();
  #applying: Applying | undefined;
  #queued: Queued[] = [];
  /** Undefined once they are too many to be written twice. */
  #beside: PendingChanges | undefined = new PendingChanges();
  /** Changes taken so far; it stands still while writers rest. */
  taken = 0;
  readonly #spareBytes: () => number;

  /** `spareBytes` is what may still be used of the memory for all tables. */
  constructor(spareBytes: () => number) {
    this.#spareBytes = spareBytes;
  }

  /** Changes that the next query would have to apply. */
  get behind(): number {
    return this.#pendingSize + this.#queued.length;
  }

  /** Whether pending changes may be applied without anybody waiting for them. */
  get isApplicable(): boolean {
    const { loaded, pins } = this.table;
    if (!loaded || pins > 0 || this.isLost) return false;
    return this.#pendingSize > 0 || this.table.pendingEntries > 0;
  }

  /** Applies pending changes until `isDue`; a query that comes in the meantime applies the rest. */
  applySome(isDue: () => boolean): void {
    while (this.isApplicable && this.#applyOrSettle() && !isDue());
  }

  /** Indexes take over what came to them when it is much, and after everything else. */
  #applyOrSettle(): boolean {
    const isMuch = this.#applying === undefined && this.table.pendingEntries >= MANY_ENTRIES;
    return isMuch || this.#pendingSize === 0 ? this.table.settleStep() : this.#applyStep();
  }

  /** The changes of each commit, in order. */
  take(change: TableChange, sequence: number): void {
    this.taken += 1;
    const { loaded, pins } = this.table;
    if (!loaded || this.#queued.length > 0 || (pins > 0 && this.#pendingSize > 0)) {
      this.#queued.push({ change, sequence });
      if (loaded) this.#shortenQueue();
    } else {
      this.#takeNext(change, sequence);
    }
  }

  /** A query is over. */
  release(): void {
    this.table.pins -= 1;
    if (this.table.pins > 0) return;
    // Nobody came to load it: it would queue commits for ever.
    if (!this.table.loaded) this.isLost = true;
    else {
      this.#takeBack();
      // Changes left in the queue are added beside the next reader.
      this.#takeQueued(SOME_QUEUED);
    }
  }

  /** While there was a pin nothing became pending, so these come before all that will. */
  #takeBack(): void {
    const beside = this.#beside;
    if (beside?.size === 0) return;
    this.#beside = new PendingChanges();
    if (beside !== undefined && this.#pendingSize === 0) this.#pending = beside;
  }

  /** To be called when all entries as of `since` are in the table. */
  endLoad(): void {
    const since = this.since ?? 0;
    this.#queued = this.#queued.filter(({ sequence }) => sequence > since);
    this.table.loaded = true;
  }

  /**
   * Applies pending changes. Queries that hold a pin took it after the last of those changes and
   * have not read yet, so rows may be overwritten. What came while a pin was held is added up to
   * `sequence`, and the rest of it only where it is little: with writers faster than this there
   * would be no end to it.
   */
  async catchUp(sequence: number, pacer: BuildPacer): Promise<void> {
    while (this.#applyStep()) if (pacer.isDue()) await pacer.pause();
    // A query that reads an index lets it take over everything; others keep it within bounds.
    await this.#settleExcess(pacer);
    for (;;) {
      this.#takeQueued(CHANGES_PER_PAUSE);
      const isOver = (this.#queued[0]?.sequence ?? Number.POSITIVE_INFINITY) > sequence;
      const left = this.#queued.length;
      if (left === 0 || (isOver && left > FEW_CHANGES)) return;
      if (!isOver && pacer.isDue()) await pacer.pause();
    }
  }

  async #settleExcess(pacer: BuildPacer): Promise<void> {
    while (this.table.pendingEntries >= MAX_ENTRIES && this.table.settleStep()) {
      if (pacer.isDue()) await pacer.pause();
    }
  }

  /** The same without a pause, where there is no pin and little to do; else false. */
  catchUpAtOnce(): boolean {
    if (this.table.pins > 0 || this.behind > FEW_CHANGES) return false;
    this.#takeQueued(FEW_CHANGES);
    while (this.#applyStep());
    return !this.isLost;
  }

  sizeBytes(): number {
    const applying = this.#applying?.changes.sizeBytes() ?? 0;
    const beside = this.#beside?.sizeBytes() ?? 0;
    return this.table.sizeBytes() + this.#pending.sizeBytes() + applying + beside;
  }

  /** A commit must never fail because of derived data. */
  #takeNext(change: TableChange, sequence: number): void {
    try {
      if (this.table.pins > 0) this.#addBeside(change, sequence);
      else this.#addPending(change, sequence);
    } catch {
      // Running queries never read later rows.
      this.isLost = true;
    }
  }

  #addBeside(change: TableChange, sequence: number): void {
    this.table.append(change, sequence);
    if (this.#beside?.add(change, sequence) === false) this.#beside = undefined;
  }

  /** Where too much is pending, the next query is better off with a new table. */
  #addPending(change: TableChange, sequence: number): void {
    if (this.#pending.add(change, sequence)) return;
    const bytes = Math.max(PENDING_BYTES, this.table.sizeBytes() * PENDING_BYTES_SHARE);
    const applying = this.#applying?.changes;
    const hasRoom = this.#pending.extend({
      changes: this.table.rows.size * PENDING_SHARE - (applying?.size ?? 0),
      bytes: Math.min(bytes - (applying?.sizeBytes() ?? 0), this.#spareBytes()),
    });
    if (!hasRoom) this.isLost = true;
  }

  #takeQueued(count: number): void {
    for (const { change, sequence } of this.#queued.splice(0, count)) {
      this.#takeNext(change, sequence);
    }
  }

  /** Called with every change that is added to them: without a pin there are soon none left. */
  #shortenQueue(): void {
    const { pins, rows } = this.table;
    if (pins === 0) this.#takeQueued(FEW_CHANGES);
    else if (this.#queued.length > Math.max(MANY_QUEUED, rows.size * PENDING_SHARE)) {
      this.isLost = true;
    }
  }

  get #pendingSize(): number {
    return this.#pending.size + (this.#applying?.changes.size ?? 0);
  }

  /** Up to the next yield point; false when nothing is pending. */
  #applyStep(): boolean {
    if (this.#applying === undefined) {
      if (this.#pending.size === 0) return false;
      const changes = this.#pending;
      this.#pending = new PendingChanges();
      this.#applying = { changes, steps: changes.applyTo(this.table) };
    }
    try {
      if (this.#applying.steps.next().done === true) this.#applying = undefined;
      return true;
    } catch {
      this.#applying = undefined;
      this.isLost = true;
      return false;
    }
  }
}
