// Where a key is in its table, or would be. A damaged key hides its entry and
// leads the search for others astray; but a search that was led astray ends
// beside the key that did it. So a search is certain when the keys on both sides
// of where it ended are sound.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { columnsOf, entriesTable, prepareArrays } from './schema.ts';
import { isKeySound } from './seal.ts';

export class KeyPlace {
  readonly #neighbours: StatementSync;

  constructor(database: DatabaseSync, regionId: number) {
    const table = entriesTable(regionId);
    const side = (condition: string, order: string): string =>
      `SELECT * FROM (SELECT "key", seal FROM ${table} WHERE "key" ${condition} ?1 ORDER BY "key" ${order} LIMIT 1)`;
    // Each side by one walk: looking a damaged key up again would not find it.
    this.#neighbours = prepareArrays(
      database,
      `${side('<', 'DESC')} UNION ALL ${side('>', 'ASC')}`,
    );
  }

  /** Whether what was found at this place, or not found, can be believed. */
  isCertain(storedKey: string): boolean {
    return this.#neighbours.all(storedKey).every((neighbour) => {
      const [key, seal] = columnsOf(neighbour);
      return isKeySound(key, seal);
    });
  }
}
