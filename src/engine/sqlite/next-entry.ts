// The first entry after a key, read as two texts: the neighbours on both sides of the key. A search
// that a damaged key misdirected ends beside that key (`key-neighbours.ts`), so both are verified.
//
//   before   seal key
//   after    seal version NUL key NUL value      either is NULL when there is none

import type { KeyedEntry } from '../engine.ts';
import { decodeKey } from '../key-encoding.ts';
import { areKeysSound, openEntry, SEAL_LENGTH } from './seal.ts';

const NUL = '\0';

/** The entry; undefined when there is none, `damaged` unless both sides match their seals. */
export function openNextEntry(columns: readonly unknown[]): KeyedEntry | undefined | 'damaged' {
  const [before, after] = columns;
  if (before !== null && !isSealedKey(before)) return 'damaged';
  if (after === null) return undefined;
  if (typeof after !== 'string') return 'damaged';
  const versionEnd = after.indexOf(NUL, SEAL_LENGTH);
  const keyEnd = after.indexOf(NUL, versionEnd + 1);
  if (versionEnd < 0 || keyEnd < 0) return 'damaged';
  const storedKey = after.slice(versionEnd + 1, keyEnd);
  const version = Number(after.slice(SEAL_LENGTH, versionEnd));
  const seal = after.slice(0, SEAL_LENGTH);
  const entry = openEntry(storedKey, [version, seal, after.slice(keyEnd + 1)]);
  return entry === undefined ? 'damaged' : { key: decodeKey(storedKey), ...entry };
}

function isSealedKey(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  return areKeysSound(text.slice(0, SEAL_LENGTH), [text.slice(SEAL_LENGTH)]);
}
