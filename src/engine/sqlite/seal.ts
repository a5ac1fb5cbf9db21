// The checksum beside each entry. SQLite notices a broken page structure, not a
// flipped bit inside a value or key; the seal does, on every read.
//
//   VVVVVV LLLL KKKK S      15 characters of 6 bits each, code 48 upwards
//   V  CRC-32 of the value    L  bytes of the value    K  hash of the stored key
//   S  version modulo 61 (any single flipped bit changes it)
//
// A batch of values is checked with one CRC over all its bytes, compared with
// the CRCs of the seals put together: much cheaper than one call per value.

import { crc32 } from 'node:zlib';

export const SEAL_LENGTH = 15;
const LENGTH_AT = 6;
const KEY_AT = 10;
const VERSION_AT = 14;
const ZERO = 48;
const VERSION_MODULUS = 61;

export function sealEntry(storedKey: string, value: string, version: number): string {
  return (
    printDigits(crc32(value), 6) +
    printDigits(Buffer.byteLength(value), 4) +
    printDigits(hashKey(storedKey), 4) +
    printDigits(version % VERSION_MODULUS, 1)
  );
}

/** Whether key, value and version are what was sealed. */
export function isEntrySound(
  seal: string,
  storedKey: string,
  entry: { readonly value: string; readonly version: number },
): boolean {
  return (
    readDigits(seal, VERSION_AT, 1) === entry.version % VERSION_MODULUS &&
    readDigits(seal, KEY_AT, 4) === hashKey(storedKey) &&
    readDigits(seal, 0, 6) === crc32(entry.value)
  );
}

/** Whether each key is the one its seal was made for; `seals` has them end to end. */
export function areKeysSound(seals: string, storedKeys: readonly string[]): boolean {
  if (seals.length !== storedKeys.length * SEAL_LENGTH) return false;
  return storedKeys.every(
    (key, i) => readDigits(seals, i * SEAL_LENGTH + KEY_AT, 4) === hashKey(key),
  );
}

/** Whether `values`, joined by line feeds, are the values that were sealed, in this order. */
export function areValuesSound(seals: string, values: Uint8Array): boolean {
  let expected = 0;
  let bytes = -1;
  for (let at = 0; at < seals.length; at += SEAL_LENGTH) {
    const crc = readDigits(seals, at, 6);
    const length = readDigits(seals, at + LENGTH_AT, 4);
    expected = at === 0 ? crc : appendLine(expected, crc, length);
    bytes += length + 1;
  }
  return bytes === values.byteLength && expected === crc32(values);
}

/** Bytes of the value the seal at position `at` belongs to. */
export function sealedLength(seals: string, index: number): number {
  return readDigits(seals, index * SEAL_LENGTH + LENGTH_AT, 4);
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

/** FNV-1a over code units, folded to 24 bits. */
function hashKey(storedKey: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < storedKey.length; i++) {
    hash = Math.imul(hash ^ storedKey.charCodeAt(i), 0x01000193);
  }
  return (hash ^ (hash >>> 24)) & 0xffffff;
}

// CRC-32 is arithmetic on polynomials modulo this one (bit-reversed): the CRC of
// A followed by B is crc(A) · x^(8·bytes of B) + crc(B).
const POLYNOMIAL = 0xedb88320;
const LINE_FEED_CRC = crc32('\n');
const ONE = 0x80000000;
const SMALL_LENGTHS = 4096;
/** x^(8·n) for small n; 0 where not yet computed (it is never 0). */
const smallShifts = new Uint32Array(SMALL_LENGTHS);

/** The CRC of the text so far, a line feed, and a line of the given CRC and length. */
function appendLine(soFar: number, crc: number, length: number): number {
  const withLineFeed = multiply(shiftBy(1), soFar) ^ LINE_FEED_CRC;
  return (multiply(shiftBy(length), withLineFeed) ^ crc) >>> 0;
}

function shiftBy(bytes: number): number {
  if (bytes >= SMALL_LENGTHS) return computeShift(bytes);
  const known = smallShifts[bytes] ?? 0;
  if (known !== 0) return known;
  const shift = computeShift(bytes);
  smallShifts[bytes] = shift;
  return shift;
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
