// The seal is the checksum stored with each entry. SQLite detects a broken page structure, but not a
// flipped bit inside a key or value. The seal detects that, on every read.
//
//   VVVVVV LLLL KKKK S      15 characters of 6 bits each, code 48 upwards
//   V  CRC-32 of the value    L  bytes of the value    K  hash of the stored key
//   S  version modulo 61 (any single flipped bit changes it)
//
// A batch of values is verified with one CRC over all its bytes, compared with the combined CRCs of
// the seals. That is much cheaper than one call per value.

import { crc32 } from 'node:zlib';
import type { StoredEntry } from '../engine.ts';

export const SEAL_LENGTH = 15;
export const LENGTH_AT = 6;
export const KEY_AT = 10;
const VERSION_AT = 14;
const ZERO = 48;
const VERSION_MODULUS = 61;

export function sealEntry(storedKey: string, value: string, version: number): string {
  return (
    printDigits(crc32(value), 6) +
    printDigits(Buffer.byteLength(value), 4) +
    printDigits(keyDigest(storedKey), 4) +
    printDigits(version % VERSION_MODULUS, 1)
  );
}

/**
 * The entry of the stored columns `version, seal, value`; undefined unless they match the seal for
 * this key. A flipped bit can change the type of a column: a value that came back as bytes would have
 * the same checksum.
 */
export function openEntry(storedKey: string, columns: readonly unknown[]): StoredEntry | undefined {
  const version = columns[0];
  const seal = columns[1];
  const value = columns[2];
  if (typeof version !== 'number' || typeof seal !== 'string' || typeof value !== 'string') {
    return undefined;
  }
  const isSound =
    seal.length === SEAL_LENGTH &&
    isVersionSound(seal, 0, version) &&
    readDigits(seal, KEY_AT, 4) === keyDigest(storedKey) &&
    readDigits(seal, 0, 6) === crc32(value);
  return isSound ? { value, version } : undefined;
}

/** Whether both stored columns are a key and its seal. */
export function isKeySound(storedKey: unknown, seal: unknown): boolean {
  return (
    typeof storedKey === 'string' && typeof seal === 'string' && areKeysSound(seal, [storedKey])
  );
}

/** Whether each key matches its seal; `seals` is the concatenation of all seals. */
export function areKeysSound(seals: string, storedKeys: readonly string[]): boolean {
  if (seals.length !== storedKeys.length * SEAL_LENGTH) return false;
  let at = KEY_AT;
  for (const key of storedKeys) {
    if (readDigits(seals, at, 4) !== keyDigest(key)) return false;
    at += SEAL_LENGTH;
  }
  return true;
}

/** Whether each version matches its seal. */
export function areVersionsSound(seals: string, versions: readonly number[]): boolean {
  if (seals.length !== versions.length * SEAL_LENGTH) return false;
  return versions.every((version, i) => isVersionSound(seals, i, version));
}

function isVersionSound(seals: string, index: number, version: number): boolean {
  const digit = readDigits(seals, index * SEAL_LENGTH + VERSION_AT, 1);
  return Number.isSafeInteger(version) && version % VERSION_MODULUS === digit;
}

/** Bytes of the value of the seal at `index`. */
export function sealedLength(seals: string, index: number): number {
  return readDigits(seals, index * SEAL_LENGTH + LENGTH_AT, 4);
}

/** How many values have at most `maxBytes` together, from the first on; at least one. */
export function countSealed(seals: string, maxBytes: number): number {
  const count = seals.length / SEAL_LENGTH;
  let bytes = 0;
  for (let i = 0; i < count; i++) {
    bytes += sealedLength(seals, i);
    if (bytes > maxBytes) return Math.max(1, i);
  }
  return Math.max(1, count);
}

function printDigits(number: number, digits: number): string {
  let text = '';
  let rest = number;
  for (let i = 0; i < digits; i++) {
    text = String.fromCharCode(ZERO + (rest & 63)) + text;
    rest = rest >>> 6;
  }
  return text;
}

function readDigits(text: string, at: number, digits: number): number {
  let number = 0;
  for (let i = at; i < at + digits; i++)
    number = (number << 6) | ((text.charCodeAt(i) - ZERO) & 63);
  return number >>> 0;
}

export const KEY_HASH_START = 0x811c9dc5;
export const KEY_HASH_FACTOR = 0x01000193;

/** FNV-1a over code units, folded to 24 bits. */
function keyDigest(storedKey: string): number {
  let hash = KEY_HASH_START;
  for (let i = 0; i < storedKey.length; i++) {
    hash = Math.imul(hash ^ storedKey.charCodeAt(i), KEY_HASH_FACTOR);
  }
  return foldKeyHash(hash);
}

export function foldKeyHash(hash: number): number {
  return (hash ^ (hash >>> 24)) & 0xffffff;
}

// CRC-32 is arithmetic on polynomials modulo this one (bit-reversed): the CRC of
// A followed by B is crc(A) · x^(8·bytes of B) + crc(B).
const POLYNOMIAL = 0xedb88320;
const LINE_FEED_CRC = crc32('\n');
const ONE = 0x80000000;

/** Appends a line feed and a line of one length to a CRC; see `createLineTable`. */
type LineTable = Uint32Array;
const LINE_FEED_AT = 4 * 256;
/** Line tables of 4 KiB are cached for shorter lines; longer ones are computed each time. */
const TABULATED_LENGTHS = 1024;
const lineTables: (LineTable | undefined)[] = Array.from({ length: TABULATED_LENGTHS });

/** The CRC of the text so far, a line feed, and a line of the given CRC and length. */
export function appendLine(soFar: number, crc: number, length: number): number {
  if (length >= TABULATED_LENGTHS) {
    const withLineFeed = multiply(computeShift(1), soFar) ^ LINE_FEED_CRC;
    return (multiply(computeShift(length), withLineFeed) ^ crc) >>> 0;
  }
  const known = lineTables[length];
  const table = known ?? createLineTable(length);
  if (known === undefined) lineTables[length] = table;
  return (
    (crc ^
      entry(table, LINE_FEED_AT) ^
      entry(table, soFar & 255) ^
      entry(table, 256 + ((soFar >>> 8) & 255)) ^
      entry(table, 512 + ((soFar >>> 16) & 255)) ^
      entry(table, 768 + (soFar >>> 24))) >>>
    0
  );
}

function entry(table: LineTable, at: number): number {
  return table[at] ?? 0;
}

/**
 * Shifting is linear, so it can be looked up byte by byte: `table[256·b + v]` is byte value v at byte
 * b, shifted by the line and its line feed. The last element is the line feed's own CRC, shifted by
 * the line.
 */
function createLineTable(length: number): LineTable {
  const table = new Uint32Array(LINE_FEED_AT + 1);
  const shift = computeShift(length + 1);
  for (let byte = 0; byte < 4; byte++) {
    for (let bit = 0; bit < 8; bit++) {
      const single = 1 << bit;
      const shifted = multiply(shift, (single << (8 * byte)) >>> 0);
      for (let rest = 0; rest < single; rest++) {
        table[256 * byte + single + rest] = entry(table, 256 * byte + rest) ^ shifted;
      }
    }
  }
  table[LINE_FEED_AT] = multiply(computeShift(length), LINE_FEED_CRC);
  return table;
}

/** x^(8·bytes), by squaring. */
function computeShift(bytes: number): number {
  let result = ONE;
  let power = ONE >>> 8;
  for (let rest = bytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = multiply(power, result);
    power = multiply(power, power);
  }
  return result;
}

/** Product of two polynomials modulo the CRC's; bit 31 is the constant term. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let rest = a; rest !== 0; rest <<= 1) {
    if (rest < 0 || rest >= ONE) product ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}
