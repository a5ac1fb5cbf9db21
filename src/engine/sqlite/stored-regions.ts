// A store read without its engine, for exports: one moment of all regions,
// beside a running server or from a store at rest.

import type { RegionDescription } from '../engine.ts';
import { storeDamaged } from '../errors.ts';
import { decodeKey } from './key-encoding.ts';
import { checkHeader } from './open-store.ts';
import { checkFormat, readRegionRows } from './schema.ts';
import { openEntry } from './seal.ts';
import { toEngineError } from './sqlite-errors.ts';
import { storeFiles } from './store-files.ts';
import { openStoreReader, requireDataFile, scanRawEntries } from './store-reader.ts';

export interface ReadEntry {
  readonly key: string;
  readonly value: string;
}

export interface StoredRegions {
  /** By name, reserved ones included. */
  readonly regions: readonly RegionDescription[];
  /** In key order. Throws `engine/store-damaged` at the first entry that fails its checksum. */
  entries(region: string): Iterable<ReadEntry>;
  /** Whether all that was read is of one moment; to be asked at the end. */
  isUndisturbed(): boolean;
  close(): void;
}

export function openStoredRegions(directory: string): StoredRegions {
  const files = storeFiles(directory);
  requireDataFile(files);
  try {
    checkHeader(files);
    const { close, database, isUndisturbed } = openStoreReader(files);
    checkFormat(database, files.data);
    const rows = readRegionRows(database, files.data);
    return {
      regions: rows
        .map(({ definition, entryCount, indexes, valueBytes }) => ({
          ...definition,
          indexes,
          entryCount,
          valueBytes,
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
      *entries(region) {
        const row = rows.find(({ definition }) => definition.name === region);
        if (row === undefined) return;
        let count = 0;
        try {
          for (const { seal, storedKey, value, version } of scanRawEntries(database, row.id)) {
            const isText = typeof storedKey === 'string';
            const entry = isText ? openEntry(storedKey, [version, seal, value]) : undefined;
            if (!isText || entry === undefined) {
              throw storeDamaged(files.data, `an entry of region (${region}) fails its checksum`);
            }
            count += 1;
            yield { key: decodeKey(storedKey), value: entry.value };
          }
        } catch (error) {
          throw toEngineError(error, files.data);
        }
        if (count !== row.entryCount) {
          const reason = `region (${region}) shows ${count} of ${row.entryCount} entries`;
          throw storeDamaged(files.data, reason);
        }
      },
      isUndisturbed,
      close,
    };
  } catch (error) {
    throw toEngineError(error, files.data);
  }
}
