// Checks the neighbours of a key in its table. A damaged key hides its entry and can misdirect the
// search for others. A misdirected search ends beside the key that misdirected it. So a search is
// reliable when the keys on both sides of its end pass their checksums.

import { decodeKey } from '../key-encoding.ts';
import { columnsOf, entriesTable } from './schema.ts';
import { isKeySound } from './seal.ts';
import type { LazyStatement, StatementCache } from './statement-cache.ts';

export class KeyNeighbours {
  readonly #lower: LazyStatement;
  readonly #upper: LazyStatement;

  constructor(statements: StatementCache, regionId: number) {
    // One search per side: a second look-up would not find a damaged key.
    const columns = `SELECT "key", seal FROM ${entriesTable(regionId)} WHERE "key"`;
    this.#lower = statements.lazy(`${columns} < ? ORDER BY "key" DESC LIMIT 1`);
    this.#upper = statements.lazy(`${columns} > ? ORDER BY "key" LIMIT 1`);
  }

  /** Whether a key that was not found is really absent. */
  isAbsent(storedKey: string): boolean {
    return this.isLowerSound(storedKey) && isNeighbourSound(this.#upper.use().get(storedKey));
  }

  /**
   * The next key after one that was not found, or `end` when there is none. Undefined when the key
   * may exist all the same.
   */
  findGap(storedKey: string): { readonly next: string } | 'end' | undefined {
    if (!this.isLowerSound(storedKey)) return undefined;
    const row = this.#upper.use().get(storedKey);
    if (!isNeighbourSound(row)) return undefined;
    return row === undefined ? 'end' : { next: decodeKey(String(columnsOf(row)[0])) };
  }

  /**
   * Whether a scan after the key starts at the right position. The scan verifies its own entries.
   */
  isLowerSound(storedKey: string): boolean {
    return isNeighbourSound(this.#lower.use().get(storedKey));
  }
}

/** An absent neighbour is sound. */
export function isNeighbourSound(row: unknown): boolean {
  if (row === undefined) return true;
  const columns = columnsOf(row);
  return isKeySound(columns[0], columns[1]);
}
