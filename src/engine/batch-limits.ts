// The bounds of a batch: the writes that an engine sends to its store together, to be committed
// together.

import type { Change } from './engine.ts';

export const MAX_BATCH_REQUESTS = 1024;
/** Bounds memory: a batch exists as texts and as the message that takes them to the store. */
export const MAX_BATCH_CHARACTERS: number = 4 * 1024 * 1024;

/** Characters of all values that these writes put. */
export function countCharacters(
  writes: readonly { readonly changes: readonly Change[] }[],
): number {
  let characters = 0;
  for (const { changes } of writes) {
    for (const change of changes) if (change.kind === 'put') characters += change.value.length;
  }
  return characters;
}
