// The first entry after a key, as a statement gives it: both sides of the place in the tree, each
// as one text. A search that a damaged key led astray ends beside that key (`key-place.ts`), so both
// sides are looked at.
//
//   before   seal key
//   after   seal version NUL key NUL value      either is NULL when there is none

import type { KeyedEntry } from '../engine.ts';
import { decodeKey } from '../key-encoding.ts';
import { areKeysSound, openEntry, SEAL_LENGTH } from './seal.ts';

const NUL = '\0';

/** The entry, undefined when there is none; `damaged` unless both sides match their seals. */
export function openBehind(columns: readonly unknown[]): KeyedEntry | undefined | 'damaged' {
  const [before, behind] = columns;
  if (before !== null && !isSealedKey(before)) return 'damaged';
  if (behind === null) return undefined;
  if (typeof behind !== 'string') return 'damaged';
  const versionEnd = behind.indexOf(NUL, SEAL_LENGTH);
  const keyEnd = behind.indexOf(NUL, versionEnd + 1);
  if (versionEnd < 0 || keyEnd < 0) return 'damaged';
  const storedKey = behind.slice(versionEnd + 1, keyEnd);
  const version = Number(behind.slice(SEAL_LENGTH, versionEnd));
  const seal = behind.slice(0, SEAL_LENGTH);
  const entry = openEntry(storedKey, [version, seal, behind.slice(keyEnd + 1)]);
  return entry === undefined ? 'damaged' : { key: decodeKey(storedKey), ...entry };
}

function isSealedKey(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  return areKeysSound(text.slice(0, SEAL_LENGTH), [text.slice(SEAL_LENGTH)]);
}
