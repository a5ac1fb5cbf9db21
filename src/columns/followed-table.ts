// A table and the commits that reach it. While nobody reads, changes are put aside; they are applied
// when writers rest, or by the next query before it reads. While somebody reads, changes are added as rows of their own.
//
//   late      put aside while there was no pin; one for each key
//   pending   behind those, in commit order: came while a pin was held and the table was being
//             loaded, or changes put aside were being applied

import type { Pacer } from './build-columns.ts';
import { LateChanges } from './late-changes.ts';
import { RegionTable, type TableChange } from './region-table.ts';

interface Pending {
  readonly change: TableChange;
  readonly sequence: number;
}

/** Changes that are applied between two looks at the clock. */
const CHANGES_PER_PAUSE = 32;
/** So many changes take about a millisecond. */
const FEW_CHANGES = 128;
const MANY_PENDING = 16_384;
/** Of the rows of a table: to apply more changes takes longer than to build the table anew. */
const WAITING_SHARE = 0.25;
/** Of the bytes of a table. */
const WAITING_BYTES_SHARE = 0.5;

export class FollowedTable {
  readonly table: RegionTable = new RegionTable();
  /** Builds of one table run one after another. */
  work: Promise<void> = Promise.resolve();
  /** The earliest sequence a query may read at. */
  since: number | undefined;
  /** True once it no longer follows: to be let go, and built anew by the next query. */
  isLost = false;
  readonly #late: LateChanges = new LateChanges();
  #pending: Pending[] = [];
  /** Applies what was put aside, as long as nothing else touches the table. */
  #idleSteps: Generator<void> | undefined;
  /** Changes taken so far; it stands still while writers rest. */
  taken = 0;
  readonly #spareBytes: () => number;
  readonly #manyLate: number;

  /**
   * `spareBytes` is what may still be used of the memory for all tables, `manyLate` how many changes
   * wait before the table is far behind.
   */
  constructor(spareBytes: () => number, manyLate: number) {
    this.#spareBytes = spareBytes;
    this.#manyLate = manyLate;
  }

  /** Whether changes wait to be applied. */
  isBehind(): boolean {
    return this.#late.size > 0 || this.#pending.length > 0;
  }

  /** Whether so many changes wait that a query would be late by them. */
  isFarBehind(): boolean {
    return this.table.loaded && this.table.pins === 0 && this.#late.size >= this.#manyLate;
  }

  /**
   * Applies some of what was put aside, until `isDue`; true when more is left. A query that comes
   * meanwhile, or a change, makes it begin anew with what is left.
   */
  applySome(isDue: () => boolean): boolean {
    if (this.table.pins > 0 || this.isLost || this.#late.size === 0) return false;
    this.#idleSteps ??= this.#late.applyTo(this.table);
    while (this.#isStepLeft(this.#idleSteps)) if (isDue()) return true;
    this.#idleSteps = undefined;
    return false;
  }

  /** The changes of each commit, in order. */
  take(change: TableChange, sequence: number): void {
    this.taken += 1;
    this.#idleSteps = undefined;
    const { loaded, pins } = this.table;
    if (!loaded || this.#pending.length > 0 || (pins > 0 && this.#late.size > 0)) {
      this.#pending.push({ change, sequence });
      if (loaded) this.#shortenPending();
    } else {
      this.#takeNext(change, sequence);
    }
  }

  /** A query is over. */
  release(): void {
    this.table.pins -= 1;
    if (this.table.pins > 0) return;
    // Nobody came to load it: it would put commits aside for ever.
    if (!this.table.loaded) this.isLost = true;
    else this.#shortenPending();
  }

  /** To be called when all entries as of `since` are in the table. */
  endLoad(): void {
    const since = this.since ?? 0;
    this.#pending = this.#pending.filter(({ sequence }) => sequence > since);
    this.table.loaded = true;
  }

  /**
   * Applies what was put aside. Queries that hold a pin took it after the last of those changes and
   * have not read yet, so rows may be overwritten. What came while a pin was held is added up to
   * `sequence`, and the rest of it only where it is little: with writers faster than this there
   * would be no end to it.
   */
  async catchUp(sequence: number, pacer: Pacer): Promise<void> {
    this.#idleSteps = undefined;
    const steps = this.#late.applyTo(this.table);
    while (this.#isStepLeft(steps)) if (pacer.isDue()) await pacer.pause();
    for (;;) {
      this.#takePending(CHANGES_PER_PAUSE);
      const isOver = (this.#pending[0]?.sequence ?? Number.POSITIVE_INFINITY) > sequence;
      const left = this.#pending.length;
      if (left === 0 || (isOver && left > FEW_CHANGES)) return;
      if (!isOver && pacer.isDue()) await pacer.pause();
    }
  }

  /** The same without a pause, where there is no pin and little to do; else false. */
  catchUpAtOnce(): boolean {
    if (this.table.pins > 0 || this.#late.size + this.#pending.length > FEW_CHANGES) return false;
    this.#takePending(FEW_CHANGES);
    this.#idleSteps = undefined;
    const steps = this.#late.applyTo(this.table);
    while (this.#isStepLeft(steps));
    return !this.isLost;
  }

  sizeBytes(): number {
    return this.table.sizeBytes() + this.#late.sizeBytes();
  }

  /** A commit must never fail for the sake of what is only derived from it. */
  #takeNext(change: TableChange, sequence: number): void {
    try {
      if (this.table.pins > 0) this.table.append(change, sequence);
      else this.#putAside(change, sequence);
    } catch {
      // Queries under way never look at later rows.
      this.isLost = true;
    }
  }

  /** Where too much waits, the next query is better off with a new table. */
  #putAside(change: TableChange, sequence: number): void {
    if (this.#late.add(change, sequence)) return;
    const hasRoom = this.#late.extend({
      changes: this.table.rows.size * WAITING_SHARE,
      bytes: Math.min(this.table.sizeBytes() * WAITING_BYTES_SHARE, this.#spareBytes()),
    });
    if (!hasRoom) this.isLost = true;
  }

  #takePending(count: number): void {
    for (const { change, sequence } of this.#pending.splice(0, count)) {
      this.#takeNext(change, sequence);
    }
  }

  /** Called with every change that is added to them: without a pin there are soon none left. */
  #shortenPending(): void {
    const { pins, rows } = this.table;
    if (pins === 0) this.#takePending(FEW_CHANGES);
    else if (this.#pending.length > Math.max(MANY_PENDING, rows.size * WAITING_SHARE)) {
      this.isLost = true;
    }
  }

  #isStepLeft(steps: Generator<void>): boolean {
    try {
      return steps.next().done !== true;
    } catch {
      this.isLost = true;
      return false;
    }
  }
}
