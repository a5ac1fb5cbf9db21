// Entries of a Map in the form in which a store returns them.

import type { EntryBytes, JoinedTexts } from '../../value/entry-bytes.ts';

/** More entries than this come in large batches: a test of so many of them is not about batches. */
const MANY = 1000;
const PER_LARGE_BATCH = 250;

/** In key order, a few at a time. */
export async function* scanEntries(
  entries: ReadonlyMap<string, string>,
  perBatch: number = entries.size > MANY ? PER_LARGE_BATCH : 3,
): AsyncGenerator<EntryBytes> {
  const keys = [...entries.keys()].sort();
  for (let at = 0; at < keys.length; at += perBatch) {
    const some = keys.slice(at, at + perBatch);
    yield { keys: joinTexts(some), values: joinTexts(some.map((key) => entries.get(key) ?? '')) };
    await Promise.resolve();
  }
}

function joinTexts(texts: readonly string[]): JoinedTexts {
  let end = -1;
  const ends = Uint32Array.from(texts, (text) => {
    end += 1 + Buffer.byteLength(text);
    return end;
  });
  return { bytes: Buffer.from(texts.join('\n')), ends };
}
