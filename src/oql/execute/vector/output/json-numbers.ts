// Writes decimal digits of numbers as bytes. Numbers below 2^31 are split by integer arithmetic,
// four digits at a time.

const ZERO = 0x30;
const MINUS = 0x2d;
const DOT = 0x2e;

/** The maximum bytes of a number. */
export const MAX_NUMBER_BYTES = 24;

const MAX_INT32 = 2 ** 31 - 1;

/** The four digits of each number below 10,000, the first one in the highest byte. */
const QUADS = Uint32Array.from({ length: 10_000 }, (_, number) => {
  const digit = (unit: number): number => ZERO + (Math.floor(number / unit) % 10);
  return (digit(1000) << 24) | (digit(100) << 16) | (digit(10) << 8) | digit(1);
});

/** Returned instead of the end, for a value that cannot be written. */
export const NOT_PUT = -1;

/** Writes a safe integer other than -0; returns the end. */
export function putInteger(view: DataView, start: number, value: number): number {
  const at = putSign(view, start, value);
  const magnitude = Math.abs(value);
  return magnitude <= MAX_INT32 ? putSmall(view, at, magnitude | 0) : putLarge(view, at, magnitude);
}

/**
 * Amounts with up to two decimals are written from their hundredths. These have at most ten digits,
 * and no other number of so few digits is the same double, so this is also the shortest.
 */
export function putShortDouble(view: DataView, start: number, value: number): number {
  const hundredths = Math.round(value * 100);
  const magnitude = Math.abs(hundredths);
  if (hundredths / 100 !== value || magnitude > MAX_INT32) return NOT_PUT;
  const small = magnitude | 0;
  const whole = (small / 100) | 0;
  const at = putSmall(view, putSign(view, start, hundredths), whole);
  const pair = (QUADS[small - whole * 100] ?? 0) & 0xffff;
  view.setUint32(at, (DOT << 24) | (pair << 8));
  // One decimal, or two if the second is not zero.
  return (pair & 0xff) === ZERO ? at + 2 : at + 3;
}

function putSign(view: DataView, at: number, value: number): number {
  if (value >= 0) return at;
  view.setUint8(at, MINUS);
  return at + 1;
}

/** A number below 2^31. */
function putSmall(view: DataView, start: number, value: number): number {
  if (value < 10_000) return putLeading(view, start, value);
  const upper = (value / 10_000) | 0;
  const at = upper < 10_000 ? putLeading(view, start, upper) : putEight(view, start, upper);
  view.setUint32(at, QUADS[value - upper * 10_000] ?? 0);
  return at + 4;
}

/** A number of five to eight digits. */
function putEight(view: DataView, start: number, value: number): number {
  const upper = (value / 10_000) | 0;
  const at = putLeading(view, start, upper);
  view.setUint32(at, QUADS[value - upper * 10_000] ?? 0);
  return at + 4;
}

/** A number below 10,000, without leading zeros. The bytes after it are overwritten later. */
function putLeading(view: DataView, start: number, value: number): number {
  const size = countDigits(value);
  view.setUint32(start, (QUADS[value] ?? 0) << (32 - size * 8));
  return start + size;
}

function countDigits(value: number): number {
  if (value < 100) return value < 10 ? 1 : 2;
  return value < 1000 ? 3 : 4;
}

/** Eight digits are written after the others, with their leading zeros. */
function putLarge(view: DataView, start: number, value: number): number {
  const lower = value % 1e8;
  const at = putSmall(view, start, ((value - lower) / 1e8) | 0);
  const upper = (lower / 10_000) | 0;
  view.setUint32(at, QUADS[upper] ?? 0);
  view.setUint32(at + 4, QUADS[lower - upper * 10_000] ?? 0);
  return at + 8;
}
