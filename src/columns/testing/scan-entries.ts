// Entries of a Map in the form in which a store returns them.

import type { EntryBytes, JoinedTexts } from '../../value/entry-bytes.ts';

/** In key order, a few at a time. */
export async function* scanEntries(
  entries: ReadonlyMap<string, string>,
  perBatch = 3,
): AsyncGenerator<EntryBytes> {
  const keys = [...entries.keys()].sort();
  for (let at = 0; at < keys.length; at += perBatch) {
    const some = keys.slice(at, at + perBatch);
    yield { keys: joinTexts(some), values: joinTexts(some.map((key) => entries.get(key) ?? '')) };
    await Promise.resolve();
  }
}

function joinTexts(texts: readonly string[]): JoinedTexts {
  const encoder = new TextEncoder();
  let end = -1;
  const ends = texts.map((text) => {
    end += 1 + encoder.encode(text).length;
    return end;
  });
  return { bytes: encoder.encode(texts.join('\n')), ends: Uint32Array.from(ends) };
}
