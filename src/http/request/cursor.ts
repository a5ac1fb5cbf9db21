// A cursor marks the end of a page, where the next one begins. It is a key with a checksum over the
// key and the request, because it is invalid with other bounds, another order or another filter.
//
// base64url( CRC-32: 4 bytes | key: UTF-8 )
//
// The checksum detects mistakes, not attacks: a client that may read the region may begin at any
// key.

import { Buffer, isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { badCursor } from '../errors.ts';

/** Everything that determines which entries are on the pages of a request, and their order. */
export interface CursorScope {
  readonly region: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly prefix: string | undefined;
  readonly order: 'asc' | 'desc';
  readonly where: string | undefined;
}

const CHECKSUM_BYTES = 4;

export function printCursor(scope: CursorScope, key: string): string {
  const bytes = Buffer.allocUnsafe(CHECKSUM_BYTES + Buffer.byteLength(key));
  bytes.writeUInt32BE(checksumOf(scope, key));
  bytes.write(key, CHECKSUM_BYTES);
  return bytes.toString('base64url');
}

/** The key; throws `request/bad-cursor` for a text that is not a cursor of this request. */
export function parseCursor(scope: CursorScope, text: string): string {
  const bytes = Buffer.from(text, 'base64url');
  // The decoder ignores characters outside of the encoding.
  const isPlain = bytes.toString('base64url') === text;
  const bytesOfKey = bytes.subarray(CHECKSUM_BYTES);
  const key = bytesOfKey.toString();
  const isValid =
    isPlain &&
    isUtf8(bytesOfKey) &&
    key !== '' &&
    !key.includes('\0') &&
    checksumOf(scope, key) === bytes.readUInt32BE();
  if (!isValid) throw badCursor();
  return key;
}

function checksumOf(scope: CursorScope, key: string): number {
  const { from, order, prefix, region, to, where } = scope;
  const parts = [key, region, order, from, to, prefix, where].map((part) => part ?? null);
  return crc32(JSON.stringify(parts));
}
