// What a region says of its entries against the entries themselves, without a look at keys and
// values: their number, their bytes, their versions and their digest. About a microsecond an
// entry, so that it can be done at a start.

import type { DatabaseSync } from 'node:sqlite';
import { storeDamaged } from '../errors.ts';
import { addDigest, digestEntry, EMPTY_DIGEST } from './digest.ts';
import { columnsOf, entriesTable, prepareArrays, type RegionRow } from './schema.ts';

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
): RegionSums {
  const sql = `SELECT version, octet_length(value), seal FROM ${entriesTable(id)} ORDER BY "key"`;
  const sums = { entryCount: 0, valueBytes: 0, digest: EMPTY_DIGEST, latestVersion: 0 };
  for (const row of prepareArrays(database, sql).iterate()) {
    const [version, bytes, seal] = columnsOf(row);
    if (typeof version !== 'number' || typeof bytes !== 'number' || typeof seal !== 'string') {
      throw storeDamaged(file, `an entry of region (${definition.name}) fails its checksum`);
    }
    sums.entryCount += 1;
    sums.valueBytes += bytes;
    sums.digest = addDigest(sums.digest, digestEntry(version, seal));
    if (version > sums.latestVersion) sums.latestVersion = version;
  }
  return sums;
}

/** Throws unless the entries are as many, as large and the very ones that the region states. */
export function checkRegionState(file: string, stated: StatedSums, sums: RegionSums): void {
  const flaw = findStateFlaw(stated, sums);
  if (flaw !== undefined) {
    throw storeDamaged(file, `region (${stated.definition.name}) ${flaw}`);
  }
}

/** What the entries have otherwise than the region states. */
function findStateFlaw(stated: StatedSums, sums: RegionSums): string | undefined {
  if (sums.entryCount !== stated.entryCount) {
    return `has ${sums.entryCount} entries but states ${stated.entryCount}`;
  }
  if (sums.valueBytes !== stated.valueBytes) {
    return `has ${sums.valueBytes} bytes of values but states ${stated.valueBytes}`;
  }
  return stated.digest === undefined || sums.digest === stated.digest
    ? undefined
    : 'has entries of another moment than it states: a page of it is of an earlier or later time';
}

/** Every region in full, and no version above the latest commit: that one would be given again. */
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
