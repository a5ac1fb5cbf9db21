// Reads a store without its engine, for exports: a snapshot of all regions, while a server runs or
// while none does.

import { printAmount } from '../../value/print-amount.ts';
import { describeRegions } from '../describe-regions.ts';
import type { KeyedEntry, RegionDescription } from '../engine.ts';
import { storeDamaged } from '../errors.ts';
import { formatReader, type StatedRegion } from './migrations/migrate-store.ts';
import { checkHeader } from './open-store.ts';
import { checkTables, readFormat } from './schema.ts';
import { toEngineError } from './sqlite-errors.ts';
import { storeFiles } from './store-files.ts';
import { openStoreReader, requireDataFile, type StoreReader, scanEntries } from './store-reader.ts';

export interface StoredRegions {
  /** By name, reserved ones included. */
  readonly regions: readonly RegionDescription[];
  /** In key order. Throws `engine/store-damaged` at the first entry that fails its checksum. */
  entries(region: string): Iterable<KeyedEntry>;
  /** Whether all reads were of one commit. Call it at the end. */
  isUndisturbed(): boolean;
  close(): void;
}

export function openStoredRegions(directory: string): StoredRegions {
  const files = storeFiles(directory);
  requireDataFile(files);
  try {
    checkHeader(files);
    const reader = openStoreReader(files);
    try {
      return listRegions(reader, files.data);
    } catch (error) {
      reader.close();
      throw error;
    }
  } catch (error) {
    throw toEngineError(error, files.data);
  }
}

function listRegions(
  { close, database, isUndisturbed, missing }: StoreReader,
  file: string,
): StoredRegions {
  if (missing !== undefined) throw missing;
  const { columnsIn, readRegions, tables } = formatReader(readFormat(database, file));
  const rows = readRegions(database, file);
  // The table of a lost region is still there, and is detected here.
  checkTables(database, file, rows, tables);
  return {
    regions: describeRegions(rows),
    *entries(region) {
      const row = rows.find(({ definition }) => definition.name === region);
      if (row === undefined) return;
      try {
        yield* checkEntries(row, scanEntries(database, file, row, columnsIn), file);
      } catch (error) {
        throw toEngineError(error, file);
      }
    },
    isUndisturbed,
    close,
  };
}

function* checkEntries(
  { definition, entryCount }: StatedRegion,
  entries: Iterable<KeyedEntry>,
  file: string,
): Generator<KeyedEntry> {
  const { name } = definition;
  let count = 0;
  let before = '';
  for (const entry of entries) {
    // A repeated entry means that another one is missing.
    if (entry.key <= before) throw storeDamaged(file, `region (${name}) is out of order`);
    before = entry.key;
    count += 1;
    yield entry;
  }
  if (count !== entryCount) {
    throw storeDamaged(
      file,
      `region (${name}) shows ${count} of ${printAmount(entryCount, 'entry', 'entries')}`,
    );
  }
}
