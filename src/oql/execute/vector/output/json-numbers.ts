// Writes decimal digits of numbers as bytes. Numbers below 2^31 are split by integer arithmetic,
// two digits at a time.

const ZERO = 0x30;
const MINUS = 0x2d;
const DOT = 0x2e;

/** The maximum bytes of a number. */
export const MAX_NUMBER_BYTES = 24;

const MAX_INT32 = 2 ** 31 - 1;
const BILLION = 1e9;

/** The two digits of each number below 100, the first one in the higher byte. */
const PAIRS = Uint16Array.from({ length: 100 }, (_, number) => {
  const tens = Math.floor(number / 10);
  return ((ZERO + tens) << 8) | (ZERO + number - tens * 10);
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
  const pair = PAIRS[small - whole * 100] ?? 0;
  view.setUint8(at, DOT);
  view.setUint16(at + 1, pair);
  // One decimal, or two if the second is not zero.
  return (pair & 0xff) === ZERO ? at + 2 : at + 3;
}

function putSign(view: DataView, at: number, value: number): number {
  if (value >= 0) return at;
  view.setUint8(at, MINUS);
  return at + 1;
}

function putSmall(view: DataView, start: number, value: number): number {
  const end = start + countDigits(value);
  let remaining = value;
  let at = end;
  while (remaining >= 100) {
    const quotient = (remaining / 100) | 0;
    at -= 2;
    view.setUint16(at, PAIRS[remaining - quotient * 100] ?? 0);
    remaining = quotient;
  }
  const tens = (remaining / 10) | 0;
  view.setUint8(at - 1, ZERO + remaining - tens * 10);
  if (tens > 0) view.setUint8(at - 2, ZERO + tens);
  return end;
}

function countDigits(value: number): number {
  if (value < 10_000) {
    if (value < 100) return value < 10 ? 1 : 2;
    return value < 1000 ? 3 : 4;
  }
  if (value < 1_000_000) return value < 100_000 ? 5 : 6;
  if (value < 100_000_000) return value < 10_000_000 ? 7 : 8;
  return value < 1_000_000_000 ? 9 : 10;
}

/** The last nine digits are written with a 1 before them, which the digits above overwrite. */
function putLarge(view: DataView, start: number, value: number): number {
  const lower = value % BILLION;
  const upper = ((value - lower) / BILLION) | 0;
  const end = putSmall(view, start + countDigits(upper) - 1, (lower + BILLION) | 0);
  putSmall(view, start, upper);
  return end;
}
