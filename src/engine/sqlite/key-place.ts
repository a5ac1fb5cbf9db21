// Where a key is in its table, or would be. A damaged key hides its entry and
// leads the search for others astray; but a search that was led astray ends
// beside the key that did it. So a search is certain when the keys on both sides
// of where it ended are sound.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { decodeKey } from '../key-encoding.ts';
import { columnsOf, entriesTable, prepareArrays } from './schema.ts';
import { isKeySound } from './seal.ts';

export class KeyPlace {
  readonly #before: StatementSync;
  readonly #behind: StatementSync;

  constructor(database: DatabaseSync, regionId: number) {
    // Each side by one walk: looking a damaged key up again would not find it.
    const columns = `SELECT "key", seal FROM ${entriesTable(regionId)} WHERE "key"`;
    this.#before = prepareArrays(database, `${columns} < ? ORDER BY "key" DESC LIMIT 1`);
    this.#behind = prepareArrays(database, `${columns} > ? ORDER BY "key" LIMIT 1`);
  }

  /** Whether a key that was not found is absent. */
  isCertain(storedKey: string): boolean {
    return this.isStart(storedKey) && isNeighbourSound(this.#behind.get(storedKey));
  }

  /**
   * The place of a key that was not found: the next key after it, or `end` when there is none.
   * Undefined when the key may be there all the same.
   */
  findGap(storedKey: string): { readonly behind: string } | 'end' | undefined {
    if (!this.isStart(storedKey)) return undefined;
    const row = this.#behind.get(storedKey);
    if (!isNeighbourSound(row)) return undefined;
    return row === undefined ? 'end' : { behind: decodeKey(String(columnsOf(row)[0])) };
  }

  /** Whether the reads after the key begin there; the reader checks the entries themselves. */
  isStart(storedKey: string): boolean {
    return isNeighbourSound(this.#before.get(storedKey));
  }
}

function isNeighbourSound(row: unknown): boolean {
  if (row === undefined) return true;
  const columns = columnsOf(row);
  return isKeySound(columns[0], columns[1]);
}
