// The statements of a read view for one region.

import { BatchReader } from './batch-reader.ts';
import { FirstReader } from './first-reader.ts';
import { KeyNeighbours } from './key-neighbours.ts';
import { entrySource, mayHaveLargeValues } from './large-values.ts';
import type { RegionSizes } from './schema.ts';
import type { LazyStatement, StatementCache } from './statement-cache.ts';
import { withPadding } from './value-padding.ts';
import { WindowReader } from './window-reader.ts';

export interface RegionStatements {
  /** Whether they read values outside the table of entries. */
  readonly readLargeValues: boolean;
  readonly one: LazyStatement;
  readonly many: LazyStatement;
  readonly together: LazyStatement;
  readonly next: LazyStatement;
  readonly neighbours: KeyNeighbours;
  readonly batches: BatchReader;
  readonly first: FirstReader;
  readonly window: WindowReader;
}

/** `damaged` makes the error of an entry that fails its checksum. */
export function prepareRegion(
  statements: StatementCache,
  region: RegionSizes,
  damaged: () => Error,
): RegionStatements {
  const prepare = (sql: string): LazyStatement => statements.lazy(sql);
  const source = entrySource(region);
  const { table, value } = source;
  const neighbours = new KeyNeighbours(statements, region.id);
  return {
    readLargeValues: mayHaveLargeValues(region),
    one: prepare(`SELECT version, seal, ${value} FROM ${table} WHERE "key" = ?`),
    many: prepare(
      `SELECT version, seal, ${value} FROM json_each(?) AS k LEFT JOIN ${table} ON ${table}."key" = k.value`,
    ),
    // CROSS JOIN fixes the join order, so that rows come in the order of the keys.
    together: prepare(
      `SELECT ${withPadding(`group_concat(${value}, ',')`)}, group_concat(seal, ''), group_concat(version, ',') FROM json_each(?) AS k CROSS JOIN ${table} ON ${table}."key" = k.value`,
    ),
    // Each side is one search that returns all columns as one text. A second look-up of the key
    // would cost another search, and would not find a damaged key.
    next: prepare(
      `SELECT (SELECT seal || "key" FROM ${table} WHERE "key" <= k.value ORDER BY "key" DESC LIMIT 1), (SELECT seal || version || char(0) || "key" || char(0) || coalesce(${value}, '') FROM ${table} WHERE "key" > k.value ORDER BY "key" LIMIT 1) FROM json_each(?) AS k`,
    ),
    neighbours,
    batches: new BatchReader(statements, source, neighbours, damaged),
    first: new FirstReader(statements, source, damaged),
    window: new WindowReader(statements, source, damaged),
  };
}
