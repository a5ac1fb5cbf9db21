// Fills a data directory through the engine, in large batches, and stops it cleanly.

import { openSqliteEngine } from '../../src/engine/sqlite/sqlite-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { makeKey, makeValue, REGION, SMALLER_REGION } from './entries.ts';

const BATCH = 10_000;

export interface Sizes {
  readonly entries: number;
  readonly smallerEntries: number;
}

export async function fillStore(
  directory: string,
  { entries, smallerEntries }: Sizes,
  onProgress: (written: number) => void,
): Promise<void> {
  const engine = await openSqliteEngine({ directory, durability: 'relaxed' });
  try {
    let written = 0;
    for (const [name, count] of [
      [SMALLER_REGION, smallerEntries],
      [REGION, entries],
    ] as const) {
      await engine.createRegion(plainRegion(name));
      const region = await engine.openRegion(name);
      for (let from = 0; from < count; from += BATCH) {
        const length = Math.min(BATCH, count - from);
        const changes = Array.from({ length }, (_, i) => ({
          kind: 'put' as const,
          key: makeKey(from + i),
          value: makeValue(from + i),
        }));
        await region?.write(changes);
        written += length;
        onProgress(written);
      }
    }
  } finally {
    await engine.close();
  }
}
