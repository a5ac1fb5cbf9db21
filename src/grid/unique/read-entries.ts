import type { Region, StoredEntry } from '../../engine/engine.ts';
import { EngineError } from '../../engine/errors.ts';

const KEYS_AT_ONCE = 1000;

/** The existing entries of any number of keys, not from one snapshot. */
export async function readEntries(
  region: Region | undefined,
  keys: Iterable<string>,
): Promise<ReadonlyMap<string, StoredEntry>> {
  const found = new Map<string, StoredEntry>();
  if (region === undefined) return found;
  const all = [...new Set(keys)];
  for (let at = 0; at < all.length; at += KEYS_AT_ONCE) {
    await readInto(found, region, all.slice(at, at + KEYS_AT_ONCE));
  }
  return found;
}

/** Reads fewer at a time if they exceed the limit of one read. */
async function readInto(
  found: Map<string, StoredEntry>,
  region: Region,
  keys: readonly string[],
): Promise<void> {
  try {
    for (const [i, entry] of (await region.read(keys)).entries()) {
      if (entry !== undefined) found.set(keys[i] ?? '', entry);
    }
  } catch (error) {
    const isTooMuch = error instanceof EngineError && error.code === 'engine/read-too-large';
    if (!isTooMuch || keys.length === 1) throw error;
    const half = keys.length >> 1;
    await readInto(found, region, keys.slice(0, half));
    await readInto(found, region, keys.slice(half));
  }
}
