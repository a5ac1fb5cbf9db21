// Compares the counters that a region states with its entries: their number, bytes, versions and
// digest. Keys and values are not read, so that it takes less than a microsecond per entry and can
// run at every start.

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { printAmount } from '../../value/print-amount.ts';
import { storeDamaged } from '../errors.ts';
import { addDigest, digestEntry, EMPTY_DIGEST } from './digest.ts';
import { type ColumnsIn, valueColumns } from './large-values.ts';
import { parseVersions } from './parse-versions.ts';
import { columnsOf, entriesTable, prepareArrays, type RegionRow } from './schema.ts';
import { SEAL_LENGTH } from './seal.ts';

const ROWS_AT_ONCE = 2048;

export interface RegionSums {
  readonly entryCount: number;
  readonly valueBytes: number;
  readonly digest: number;
  readonly latestVersion: number;
}

type StatedSums = Pick<RegionRow, 'id' | 'definition' | 'entryCount' | 'valueBytes'> & {
  readonly digest?: number;
};

export function sumRegion(
  database: DatabaseSync,
  file: string,
  { definition, id }: Pick<RegionRow, 'id' | 'definition'>,
  columnsIn: ColumnsIn = valueColumns,
): RegionSums {
  // SQLite concatenates the rows: one at a time takes twice as long.
  const next = prepareArrays(
    database,
    `SELECT count(*), sum(bytes), max("key"), sum(typeof(version) = 'integer'), group_concat(version, ','), group_concat(seal, '') FROM (SELECT "key", version, seal, ${columnsIn('e').bytes} AS bytes FROM ${entriesTable(id)} AS e WHERE "key" > ? ORDER BY "key" LIMIT ${ROWS_AT_ONCE})`,
  );
  const sums = { entryCount: 0, valueBytes: 0, digest: EMPTY_DIGEST, latestVersion: 0 };
  for (let after: SQLInputValue = ''; ; ) {
    const columns = columnsOf(next.get(after));
    if (columns[0] === 0) return sums;
    // Columns of a damaged entry may have any type; the checks below reject them.
    const [count, bytes, last, integers, versionText, seals] = columns as BatchColumns;
    const versions = parseVersions(String(versionText));
    const isTyped =
      integers === count && versions.length === count && seals?.length === count * SEAL_LENGTH;
    if (!isTyped || seals === null || typeof bytes !== 'number') {
      throw storeDamaged(file, `an entry of region (${definition.name}) fails its checksum`);
    }
    sums.entryCount += count;
    sums.valueBytes += bytes;
    for (const [index, version] of versions.entries()) {
      sums.digest = addDigest(sums.digest, digestEntry(version, seals, index * SEAL_LENGTH));
      if (version > sums.latestVersion) sums.latestVersion = version;
    }
    after = last;
  }
}

type BatchColumns = readonly [
  count: number,
  bytes: unknown,
  last: SQLInputValue,
  integers: number,
  versions: unknown,
  seals: string | null,
];

/** Throws unless number, bytes and digest of the entries match those that the region states. */
export function checkRegionState(file: string, stated: StatedSums, sums: RegionSums): void {
  const flaw = findStateFlaw(stated, sums);
  if (flaw !== undefined) {
    throw storeDamaged(file, `region (${stated.definition.name}) ${flaw}`);
  }
}

/** Differences between the entries and the figures that the region states. */
function findStateFlaw(stated: StatedSums, sums: RegionSums): string | undefined {
  if (sums.entryCount !== stated.entryCount) {
    return `has ${printAmount(sums.entryCount, 'entry', 'entries')} but states ${stated.entryCount}`;
  }
  if (sums.valueBytes !== stated.valueBytes) {
    return `has ${sums.valueBytes} bytes of values but states ${stated.valueBytes}`;
  }
  return stated.digest === undefined || sums.digest === stated.digest
    ? undefined
    : 'has entries that do not match its digest: one of its pages is older or newer than the others';
}

/** Checks every region in full. A version above the latest commit is damage: it would be used again. */
export function checkRegionStates(
  database: DatabaseSync,
  file: string,
  { regions, sequence }: { readonly regions: readonly RegionRow[]; readonly sequence: number },
): void {
  for (const region of regions) {
    const sums = sumRegion(database, file, region);
    const { name } = region.definition;
    if (sums.latestVersion > sequence) {
      throw storeDamaged(
        file,
        `region (${name}) has version ${sums.latestVersion}, but the store ends with commit ${sequence}`,
      );
    }
    checkRegionState(file, region, sums);
  }
}
