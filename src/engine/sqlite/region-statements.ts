// The statements of a read view for one region.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { KeyPlace } from './key-place.ts';
import { entriesTable, prepareArrays } from './schema.ts';
import { WindowReader } from './window-reader.ts';

export interface RegionStatements {
  readonly one: StatementSync;
  readonly many: StatementSync;
  readonly together: StatementSync;
  readonly behind: StatementSync;
  readonly place: KeyPlace;
  readonly first: StatementSync;
  readonly firstLast: StatementSync;
  readonly ahead: StatementSync;
  readonly bytes: StatementSync;
  readonly values: StatementSync;
  readonly keys: StatementSync;
  /** Prepared when first used: most regions are only read from their beginning. */
  readonly window: WindowReader;
}

/** Bytes before joined values, for the head of an answer, and after them. */
export const ROOM_BEFORE = 3072;
export const ROOM_BEHIND = 8;
const BLANKS_BEFORE = `'${' '.repeat(ROOM_BEFORE)}'`;
const BLANKS_BEHIND = `'${' '.repeat(ROOM_BEHIND)}'`;

/** A text as bytes, with room around them. */
function withRoom(text: string): string {
  return `CAST(${BLANKS_BEFORE} || ${text} || ${BLANKS_BEHIND} AS BLOB)`;
}

/** `damaged` makes the error of an entry that fails its checksum. */
export function prepareRegion(
  database: DatabaseSync,
  regionId: number,
  damaged: () => Error,
): RegionStatements {
  const prepare = (sql: string): StatementSync => prepareArrays(database, sql);
  let window: WindowReader | undefined;
  const table = entriesTable(regionId);
  const between = `${table} WHERE "key" > ? AND "key" <= ?`;
  const behind = `FROM ${table} WHERE "key" > ? ORDER BY "key" LIMIT ?`;
  return {
    one: prepare(`SELECT version, seal, value FROM ${table} WHERE "key" = ?`),
    many: prepare(
      `SELECT e.version, e.seal, e.value FROM json_each(?) AS k LEFT JOIN ${table} AS e ON e."key" = k.value`,
    ),
    // Not left to SQLite which side is looked up in the other: the order must be that of the keys.
    together: prepare(
      `SELECT ${withRoom("group_concat(e.value, ',')")}, group_concat(e.seal, ''), group_concat(e.version, ',') FROM json_each(?) AS k CROSS JOIN ${table} AS e ON e."key" = k.value`,
    ),
    // Each side of the place is one walk, and one text of all its columns: to look up a key that
    // was found once more would cost a walk, and not find one that is damaged.
    behind: prepare(
      `SELECT (SELECT seal || "key" FROM ${table} WHERE "key" <= k.value ORDER BY "key" DESC LIMIT 1), (SELECT seal || version || char(0) || "key" || char(0) || value FROM ${table} WHERE "key" > k.value ORDER BY "key" LIMIT 1) FROM json_each(?) AS k`,
    ),
    place: new KeyPlace(database, regionId),
    // Between two keys no inner query is needed to count rows, which costs less than half; a
    // search by key gives them in order. With an ORDER BY of their own the aggregates would
    // sort them again at three times the cost. A function, unlike a literal, is called per row.
    // Without a lower bound, keys that damage made smaller than any text are seen too.
    first: prepare(
      `SELECT group_concat("key", char(0)), ${withRoom("group_concat(value, ',')")}, group_concat(seal, '') FROM ${table} WHERE "key" <= ?`,
    ),
    firstLast: prepare(`SELECT "key" FROM ${table} ORDER BY "key" LIMIT 1 OFFSET ?`),
    ahead: prepare(`SELECT "key" FROM ${table} WHERE "key" > ? ORDER BY "key" LIMIT 1 OFFSET ?`),
    bytes: prepare(
      `SELECT CAST(group_concat("key", char(0)) AS BLOB), CAST(group_concat(value, '\n') AS BLOB), CAST(group_concat(seal, '') AS BLOB) FROM ${between}`,
    ),
    values: prepare(
      `SELECT CAST(group_concat(value, ',') AS BLOB), CAST(group_concat(seal, '') AS BLOB) FROM ${between}`,
    ),
    keys: prepare(
      `SELECT group_concat("key", char(0)), group_concat(seal, '') FROM (SELECT "key", seal ${behind})`,
    ),
    get window(): WindowReader {
      window ??= new WindowReader(database, regionId, damaged);
      return window;
    },
  };
}
