// Some documents of a region, spread evenly over its keys.

import type { Engine } from '../../engine/engine.ts';
import { regionGone } from '../../engine/errors.ts';
import { type RegionSchema, SchemaInference } from './infer-schema.ts';

/** Keys that are read; of a larger region only the first ones are sampled. */
const MAX_KEYS = 200_000;
/** Documents read between two pauses. */
const READ_AT_A_TIME = 32;
const MAX_BYTES_AT_A_TIME = 4 * 2 ** 20;

export async function inferSchema(
  engine: Engine,
  region: string,
  sample: number,
  pause: () => Promise<void>,
): Promise<RegionSchema> {
  const snapshot = await engine.openSnapshot();
  const inference = new SchemaInference();
  try {
    const entryCount = snapshot.count(region);
    if (entryCount === undefined) throw regionGone(region);
    const count = Math.min(entryCount, MAX_KEYS);
    const every = Math.max(1, count / sample);
    const chosen: string[] = [];
    let at = 0;
    for await (const keys of snapshot.scan(region, { limit: count }, 'keys')) {
      for (const key of keys) {
        if (at >= chosen.length * every) chosen.push(key);
        at += 1;
      }
      await pause();
    }
    for (let start = 0; start < chosen.length; ) {
      const keys = chosen.slice(start, start + READ_AT_A_TIME);
      const entries = await snapshot.read(region, keys, MAX_BYTES_AT_A_TIME);
      for (const entry of entries) if (entry !== undefined) inference.add(entry.value);
      start += entries.length;
      await pause();
    }
    return inference.describe();
  } finally {
    snapshot.close();
  }
}
