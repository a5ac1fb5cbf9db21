// Decimal digits of numbers, straight into bytes. Numbers below 2^31 are taken apart by integer
// arithmetic, two digits at a time.

const ZERO = 0x30;
const MINUS = 0x2d;
const DOT = 0x2e;

/** Room that any number written here fits in. */
export const MOST_NUMBER_BYTES = 24;

const MOST_SMALL = 2 ** 31 - 1;

/** Writes a safe integer; gives where it ends. -0 must not come. */
export function putInteger(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  if (value < 0) {
    bytes[at] = MINUS;
    at += 1;
  }
  const magnitude = Math.abs(value);
  return magnitude <= MOST_SMALL
    ? putSmall(bytes, at, magnitude | 0)
    : putLarge(bytes, at, magnitude);
}

function putSmall(bytes: Uint8Array, start: number, value: number): number {
  const end = start + countDigits(value);
  let rest = value;
  let at = end;
  while (rest >= 100) {
    const quotient = (rest / 100) | 0;
    const pair = rest - quotient * 100;
    const tens = (pair / 10) | 0;
    at -= 2;
    bytes[at] = ZERO + tens;
    bytes[at + 1] = ZERO + pair - tens * 10;
    rest = quotient;
  }
  const tens = (rest / 10) | 0;
  bytes[at - 1] = ZERO + rest - tens * 10;
  if (tens > 0) bytes[at - 2] = ZERO + tens;
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

function putLarge(bytes: Uint8Array, start: number, value: number): number {
  let length = 1;
  for (let power = 10; power <= value; power *= 10) length += 1;
  let rest = value;
  for (let at = start + length - 1; at >= start; at -= 1) {
    const quotient = Math.floor(rest / 10);
    bytes[at] = ZERO + (rest - quotient * 10);
    rest = quotient;
  }
  return start + length;
}

/** What `putShortDouble` gives for a number that needs another way. */
export const NOT_SHORT = -1;

/**
 * Amounts with up to two decimals are written from their hundredths. If those have at most 15
 * digits, no other number of so few digits is the same double, so this is also the shortest.
 */
export function putShortDouble(bytes: Uint8Array, start: number, value: number): number {
  const hundredths = Math.round(value * 100);
  const isShort = hundredths / 100 === value && hundredths < 1e15 && hundredths > -1e15;
  if (!isShort) return NOT_SHORT;
  let at = start;
  if (hundredths < 0) {
    bytes[at] = MINUS;
    at += 1;
  }
  const magnitude = Math.abs(hundredths);
  if (magnitude <= MOST_SMALL) {
    const small = magnitude | 0;
    const whole = (small / 100) | 0;
    return putFraction(bytes, putSmall(bytes, at, whole), small - whole * 100);
  }
  const whole = Math.floor(magnitude / 100);
  return putFraction(bytes, putInteger(bytes, at, whole), (magnitude - whole * 100) | 0);
}

/** One decimal, or two if the second is not zero. */
function putFraction(bytes: Uint8Array, at: number, hundredths: number): number {
  const tenths = (hundredths / 10) | 0;
  const last = hundredths - tenths * 10;
  bytes[at] = DOT;
  bytes[at + 1] = ZERO + tenths;
  bytes[at + 2] = ZERO + last;
  return last === 0 ? at + 2 : at + 3;
}
