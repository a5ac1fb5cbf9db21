// The rows of a live query in a stable order: an updated row keeps its position, new rows come
// last.

import type { LiveEvent } from '../../../src/client/index.ts';

/** A row that changed counts as fresh for this long. */
export const FRESH_MS = 1500;

export class LiveRows {
  /** Rows added, updated or removed since the first snapshot. */
  changes = 0;
  /** By the JSON texts of their ids, which keep all digits of numbers. */
  #rows = new Map<string, string>();
  /** When they last changed. */
  #changedAt = new Map<string, number>();
  #isReady = false;

  /** Whether the first snapshot was received. */
  get isReady(): boolean {
    return this.#isReady;
  }

  take(event: LiveEvent<string, string>, now: number): void {
    if (event.kind === 'snapshot') {
      this.#replace(new Map(event.rows.map(({ id, row }) => [id, row])), now);
      return;
    }
    for (const delta of event.deltas) {
      this.changes += 1;
      if (delta.kind === 'leave') {
        this.#rows.delete(delta.id);
        this.#changedAt.delete(delta.id);
      } else {
        this.#set(delta.id, delta.row, now);
      }
    }
  }

  /** All rows as texts, and the indexes of fresh ones. */
  show(now: number): { readonly rows: readonly string[]; readonly fresh: ReadonlySet<number> } {
    for (const [id, time] of this.#changedAt) {
      if (now - time >= FRESH_MS) this.#changedAt.delete(id);
    }
    const fresh = new Set<number>();
    if (this.#changedAt.size > 0) {
      let index = 0;
      for (const id of this.#rows.keys()) {
        if (this.#changedAt.has(id)) fresh.add(index);
        index += 1;
      }
    }
    return { rows: [...this.#rows.values()], fresh };
  }

  /** A later snapshot comes after a lost connection: its differences are changes. */
  #replace(rows: Map<string, string>, now: number): void {
    const before = this.#rows;
    this.#rows = rows;
    if (this.#isReady) {
      for (const [id, row] of rows) {
        if (before.get(id) === row) continue;
        this.changes += 1;
        this.#changedAt.set(id, now);
      }
      for (const id of before.keys()) if (!rows.has(id)) this.changes += 1;
    }
    this.#isReady = true;
  }

  #set(id: string, row: string, now: number): void {
    this.#rows.set(id, row);
    this.#changedAt.set(id, now);
  }
}
