// Encodes arrays in PostgreSQL's binary format. The text format would have to escape every quote,
// and JSON is full of quotes.
//
//   dimensions=1  has nulls  element type | length  lower bound=1 | (bytes, …)*    each an int32

const TEXT = 25;
const INT8 = 20;
const HEADER_BYTES = 20;

/** `text[]`; null stays null. */
export function textArray(values: readonly (string | null)[]): Buffer {
  let bytes = HEADER_BYTES;
  for (const value of values) bytes += 4 + (value === null ? 0 : Buffer.byteLength(value));
  const array = Buffer.allocUnsafe(bytes);
  let at = writeHeader(array, TEXT, values.length);
  for (const value of values) {
    const length = value === null ? -1 : array.write(value, at + 4);
    array.writeInt32BE(length, at);
    at += 4 + Math.max(0, length);
  }
  return array;
}

/** `bigint[]` */
export function integerArray(values: readonly number[]): Buffer {
  const array = Buffer.allocUnsafe(HEADER_BYTES + values.length * 12);
  let at = writeHeader(array, INT8, values.length);
  for (const value of values) {
    array.writeInt32BE(8, at);
    array.writeBigInt64BE(BigInt(value), at + 4);
    at += 12;
  }
  return array;
}

function writeHeader(array: Buffer, type: number, length: number): number {
  array.writeInt32BE(1, 0);
  array.writeInt32BE(1, 4);
  array.writeInt32BE(type, 8);
  array.writeInt32BE(length, 12);
  array.writeInt32BE(1, 16);
  return HEADER_BYTES;
}
