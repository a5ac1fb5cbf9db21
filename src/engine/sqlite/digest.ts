// The digest of a region: the sum of one hash per entry, kept in the transaction that changes
// the entries. Each entry is sealed by itself, so a page that is put back to an older content
// passes every other check; its versions are older, and the sum no longer fits.
//
// A sum, because it follows a change without a look at the other entries: the hash of the old
// entry is taken out, that of the new one is added.

import { SEAL_LENGTH } from './seal.ts';

/** Sums stay below this, so that two of them are added exactly. */
const MODULUS = 2 ** 52;
const LOW_BITS = 20;
const LOW_MASK = 2 ** LOW_BITS - 1;

/** Of a region without entries. */
export const EMPTY_DIGEST = 0;

/** The part of one entry, whose seal begins at `at`. The seal stands for key and value. */
export function digestEntry(version: number, seals: string, at = 0): number {
  let high = mix(0x9e3779b9, version | 0);
  let low = mix(0x85ebca6b, Math.floor(version / 2 ** 32));
  for (let index = at; index < at + SEAL_LENGTH; index += 1) {
    const code = seals.charCodeAt(index);
    high = mix(high, code);
    low = mix(low, code + high);
  }
  return (scatter(high) >>> 0) * 2 ** LOW_BITS + (scatter(low) & LOW_MASK);
}

export function addDigest(sum: number, part: number): number {
  return (sum + part) % MODULUS;
}

export function removeDigest(sum: number, part: number): number {
  return (sum - part + MODULUS) % MODULUS;
}

function mix(hash: number, word: number): number {
  const turned = Math.imul(hash ^ word, 0xcc9e2d51);
  return (turned << 15) | (turned >>> 17);
}

/** Every bit of the hash depends on all others. */
function scatter(hash: number): number {
  let rest = hash ^ (hash >>> 16);
  rest = Math.imul(rest, 0x85ebca6b);
  rest ^= rest >>> 13;
  rest = Math.imul(rest, 0xc2b2ae35);
  return rest ^ (rest >>> 16);
}
