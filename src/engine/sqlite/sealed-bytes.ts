// Verifies a batch of entries that SQLite concatenated, and splits it into entries without creating
// a string for any of them.

import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { EntryBytes, JoinedTexts } from '../../value/entry-bytes.ts';
import { joinTexts } from '../joined-texts.ts';
import { decodeKey } from '../key-encoding.ts';
import {
  appendLine,
  areKeysSound,
  foldKeyHash,
  KEY_AT,
  KEY_HASH_FACTOR,
  KEY_HASH_START,
  LENGTH_AT,
  SEAL_LENGTH,
} from './seal.ts';

const NUL = 0;
const FIRST_NOT_ASCII = 0x80;
/** The separator of two values. */
export type JoinedBy = 'lines' | 'commas';

/**
 * The bits in which the separator differs from a line feed. A CRC adds the next byte to its own
 * lowest byte. So flipping these bits first makes appending a line feed equal to appending a comma.
 */
const FLIPPED_BITS: Readonly<Record<JoinedBy, number>> = { lines: 0, commas: 0x0a ^ 0x2c };

export interface SealedBatch {
  /** Joined by NUL. */
  readonly storedKeys: Uint8Array;
  readonly values: Uint8Array;
  /** End to end. */
  readonly seals: Uint8Array;
}

/** Entries, and the CRC of their values as they are joined. */
export interface OpenedBatch extends EntryBytes {
  readonly crc: number;
}

/** The entries; undefined unless each matches its seal. */
export function openBatch(
  { storedKeys, values, seals }: SealedBatch,
  joinedBy: JoinedBy,
): OpenedBatch | undefined {
  const found = findValues(seals, values, joinedBy);
  if (found === undefined) return undefined;
  const keys = findKeys(seals, storedKeys) ?? decodeKeys(seals, Buffer.from(storedKeys).toString());
  return keys && { keys, values: { bytes: values, ends: found.ends }, crc: found.crcs.at(-1) ?? 0 };
}

/** The ends and CRCs of joined values, by number of the entry. */
export interface JoinedEnds {
  /** Where each value ends. */
  readonly ends: Uint32Array;
  /** The CRC of all values up to there. */
  readonly crcs: Uint32Array;
}

/** The ends of joined values; undefined unless each matches its seal. */
export function findValues(
  seals: Uint8Array,
  values: Uint8Array,
  joinedBy: JoinedBy,
): JoinedEnds | undefined {
  const flipped = FLIPPED_BITS[joinedBy];
  const ends = new Uint32Array(seals.length / SEAL_LENGTH);
  const crcs = new Uint32Array(ends.length);
  let expected = 0;
  let end = -1;
  for (let index = 0, at = 0; index < ends.length; index += 1, at += SEAL_LENGTH) {
    const crc = readCrc(seals, at);
    const length = readFour(seals, at + LENGTH_AT);
    expected = index === 0 ? crc : appendLine(expected ^ flipped, crc, length);
    end += length + 1;
    ends[index] = end;
    crcs[index] = expected;
  }
  return seals.length % SEAL_LENGTH === 0 && end === values.byteLength && expected === crc32(values)
    ? { ends, crcs }
    : undefined;
}

/** Only for ASCII keys: they are stored unchanged, and their bytes equal their code units. */
function findKeys(seals: Uint8Array, bytes: Uint8Array): JoinedTexts | undefined {
  const ends = new Uint32Array(seals.length / SEAL_LENGTH);
  let at = 0;
  let seen = 0;
  for (let index = 0; index < ends.length; index += 1) {
    let hash = KEY_HASH_START;
    for (let byte = bytes[at] ?? NUL; byte !== NUL; byte = bytes[at] ?? NUL) {
      hash = Math.imul(hash ^ byte, KEY_HASH_FACTOR);
      seen |= byte;
      at += 1;
    }
    if (readFour(seals, index * SEAL_LENGTH + KEY_AT) !== foldKeyHash(hash)) return undefined;
    ends[index] = at;
    at += 1;
  }
  return at === bytes.length + 1 && seen < FIRST_NOT_ASCII ? { bytes, ends } : undefined;
}

/** Keys of any kind, one by one. */
function decodeKeys(seals: Uint8Array, text: string): JoinedTexts | undefined {
  const storedKeys = text.split('\0');
  const isSound = areKeysSound(Buffer.from(seals).toString('latin1'), storedKeys);
  return isSound ? joinTexts(storedKeys.map(decodeKey)) : undefined;
}

function readCrc(seals: Uint8Array, at: number): number {
  return ((readFour(seals, at) << 12) | readTwo(seals, at + 4)) >>> 0;
}

/** Four digits of a seal. */
function readFour(seals: Uint8Array, at: number): number {
  return (readTwo(seals, at) << 12) | readTwo(seals, at + 2);
}

/** Two digits of a seal, each of six bits from code 48 upwards. */
function readTwo(seals: Uint8Array, at: number): number {
  return ((((seals[at] ?? 0) - 48) & 63) << 6) | (((seals[at + 1] ?? 0) - 48) & 63);
}
