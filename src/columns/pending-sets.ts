// The pending changes of a table, in sets. New changes are collected in the last set, one for each
// key. Earlier sets are being applied, in order. A query applies them to the parts that it needs. A
// set stays until the other parts have its changes too, and is completed before the sets after it.

import type { PartSplit } from './part-split.ts';
import { PendingChanges, type PendingRoom } from './pending-changes.ts';
import type { RegionTable, TableChange } from './region-table.ts';

interface ChangeSet {
  readonly changes: PendingChanges;
  readonly steps: Generator<void>;
}

/** With fewer changes, a query applies them to all parts. */
const MANY_CHANGES = 256;
/**
 * Memory that is kept for the next changes: so much, or a share of the table. Garbage collections
 * follow from new memory of this size.
 */
const SPARE_BYTES = 8 << 20;
const SPARE_SHARE = 1 / 8;

export class PendingSets {
  readonly #table: RegionTable;
  #sets: ChangeSet[] = [];
  #last: PendingChanges = new PendingChanges();
  /** Without changes; its memory is used again, because new memory costs a page fault per page. */
  #spare: PendingChanges | undefined;

  constructor(table: RegionTable) {
    this.#table = table;
  }

  /** Changes that no part has. */
  get size(): number {
    let size = this.#last.size;
    for (const { changes } of this.#sets) size += changes.size;
    return size;
  }

  /** Changes that some parts have. */
  get deferred(): number {
    let deferred = 0;
    for (const { changes } of this.#sets) deferred += changes.deferred;
    return deferred;
  }

  /** Whether a set is partly applied. */
  get isApplying(): boolean {
    return this.#sets.length > 0;
  }

  /** Changes of later calls replace earlier ones of their keys. False when there are too many. */
  add(change: TableChange, sequence: number): boolean {
    return this.#last.add(change, sequence);
  }

  /** Sets the limits of all sets; false when they are exceeded. */
  extend({ changes, bytes }: PendingRoom): boolean {
    const size = this.size - this.#last.size + this.deferred;
    const ofSets = this.#sets.reduce((sum, set) => sum + set.changes.sizeBytes(), 0);
    return this.#last.extend({ changes: changes - size, bytes: bytes - ofSets });
  }

  /** Takes over changes that come after all others, if none of those are new. */
  take(changes: PendingChanges): void {
    if (this.#last.size === 0) this.#last = changes;
  }

  /** Whether a query that needs the parts can read them. */
  isAppliedTo(split: PartSplit): boolean {
    return this.#last.size === 0 && this.#sets.every(({ changes }) => changes.isAppliedTo(split));
  }

  /**
   * Applies changes up to the next yield point, to the needed parts first if there is a split. False
   * when there is nothing to apply.
   */
  step(split?: PartSplit): boolean {
    const set = this.#next(split) ?? this.#begin();
    if (set === undefined) return false;
    const { changes, steps } = set;
    const isFirst = set === this.#sets[0];
    if (split !== undefined && (!isFirst || changes.size > MANY_CHANGES)) changes.splitBy(split);
    if (steps.next().done === true) {
      this.#sets = this.#sets.filter((other) => other !== set);
      this.#keepSpare(changes);
    }
    return true;
  }

  /** The set to continue with. The first must be completed if it is deferred for needed parts. */
  #next(split: PartSplit | undefined): ChangeSet | undefined {
    const isEarly =
      split === undefined || this.#sets.some(({ changes }) => changes.isDeferredFor(split));
    return isEarly ? this.#sets[0] : this.#sets.find(({ changes }) => changes.size > 0);
  }

  #begin(): ChangeSet | undefined {
    const changes = this.#last;
    if (changes.size === 0) return undefined;
    this.#last = this.#spare ?? new PendingChanges();
    this.#spare = undefined;
    const set = { changes, steps: changes.applyTo(this.#table) };
    this.#sets.push(set);
    return set;
  }

  #keepSpare(changes: PendingChanges): void {
    const most = Math.max(SPARE_BYTES, this.#table.sizeBytes() * SPARE_SHARE);
    if (changes.sizeBytes() > most) return;
    changes.clear();
    this.#spare = changes;
  }

  sizeBytes(): number {
    let bytes = this.#last.sizeBytes() + (this.#spare?.sizeBytes() ?? 0);
    for (const { changes } of this.#sets) bytes += changes.sizeBytes();
    return bytes;
  }
}
