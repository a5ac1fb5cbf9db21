// The digest of a region is the sum of one hash per entry, updated in the transaction that changes
// the entries. A page that was reset to older contents passes every other check, because each entry
// is sealed separately. Its versions are older, so the sum no longer matches.
//
// A sum can be updated without reading the other entries: subtract the hash of the old entry, add
// that of the new one.

import { SEAL_LENGTH } from './seal.ts';

/** Sums stay below this, so that two of them are added exactly. */
const MODULUS = 2 ** 52;
const LOW_BITS = 20;
const LOW_MASK = 2 ** LOW_BITS - 1;

/** The digest of a region without entries. */
export const EMPTY_DIGEST = 0;

/** The hash of one entry, whose seal begins at `at`. The seal represents key and value. */
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

/** Final mix of MurmurHash3: every bit of the result depends on all bits of the hash. */
function scatter(hash: number): number {
  let rest = hash ^ (hash >>> 16);
  rest = Math.imul(rest, 0x85ebca6b);
  rest ^= rest >>> 13;
  rest = Math.imul(rest, 0xc2b2ae35);
  return rest ^ (rest >>> 16);
}
