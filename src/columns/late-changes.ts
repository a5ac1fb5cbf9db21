// Changes of a table that no query reads just now, put aside until one does: writing to a region
// that is rarely queried then costs little, and of a key that is written often only the last value
// is ever scanned.

import type { RegionTable, TableChange } from './region-table.ts';

/** Beyond these a change is applied at once, so that the next query has not too much to do. */
const MOST_CHANGES = 16_384;
const MOST_CHARACTERS = 8 << 20;
/** Changes between two borders at which others may run. */
const STEP = 32;

export class LateChanges {
  readonly #changes = new Map<string, { change: TableChange; sequence: number }>();
  #characters = 0;

  get size(): number {
    return this.#changes.size;
  }

  /** Takes the place of an earlier change of the key. False when there is no room for another. */
  add(change: TableChange, sequence: number): boolean {
    const known = this.#changes.get(change.key);
    if (known !== undefined) {
      this.#characters += lengthOf(change) - lengthOf(known.change);
      known.change = change;
      known.sequence = sequence;
      return true;
    }
    if (!this.#hasRoom()) return false;
    this.#characters += lengthOf(change);
    this.#changes.set(change.key, { change, sequence });
    return true;
  }

  /**
   * Overwrites the rows of the table where they are, which nobody may be reading. What was applied
   * is gone from here, so that it can be given up at any border and begun again later.
   */
  *applyTo(table: RegionTable): Generator<void> {
    let applied = 0;
    for (const [key, { change, sequence }] of this.#changes) {
      this.#changes.delete(key);
      this.#characters -= lengthOf(change);
      table.apply(change, sequence, 'overwrite');
      applied += 1;
      if (applied % STEP === 0) yield;
    }
  }

  sizeBytes(): number {
    return this.#characters + this.#changes.size * 200;
  }

  #hasRoom(): boolean {
    return this.#changes.size < MOST_CHANGES && this.#characters < MOST_CHARACTERS;
  }
}

function lengthOf(change: TableChange): number {
  return change.key.length + (change.kind === 'put' ? change.value.length : 0);
}
