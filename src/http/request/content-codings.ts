// Compressed bodies. The unpacked size is limited as well as the sent size: a few kilobytes can
// expand to gigabytes.

import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, createZstdDecompress, gunzip, zstdDecompress } from 'node:zlib';
import { badBody, bodyTooLarge, RequestError, unsupportedEncoding } from '../errors.ts';

export type ContentCoding = 'gzip' | 'zstd';

const WHOLE = {
  gzip: promisify(gunzip),
  zstd: promisify(zstdDecompress),
} as const;

const STREAMS = { gzip: () => createGunzip(), zstd: () => createZstdDecompress() } as const;

/** Undefined for an uncompressed body; throws `request/unsupported-encoding`. */
export function parseContentCoding(headers: IncomingHttpHeaders): ContentCoding | undefined {
  const header = headers['content-encoding'];
  if (header === undefined) return undefined;
  switch (header.trim().toLowerCase()) {
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return 'gzip';
    case 'zstd':
      return 'zstd';
    default:
      throw unsupportedEncoding(header);
  }
}

export async function unpack(
  bytes: Buffer,
  coding: ContentCoding,
  maxBytes: number,
): Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  try {
    return await WHOLE[coding](bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    throw toRequestError(error, coding, maxBytes);
  }
}

/** The same for a body of any length, in pieces. */
export async function* unpackPieces(
  pieces: AsyncIterable<Buffer>,
  coding: ContentCoding,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  const unpacker = STREAMS[coding]();
  let failure: unknown;
  const source = Readable.from(
    rethrowing(pieces, (error) => {
      failure = error;
    }),
    { objectMode: false },
  );
  pipeline(source, unpacker, () => undefined);
  let bytes = 0;
  try {
    for await (const piece of unpacker) {
      bytes += (piece as Buffer).length; // of a stream without an encoding
      if (bytes > maxBytes) throw bodyTooLarge(maxBytes);
      yield piece as Buffer;
    }
  } catch (error) {
    throw failure ?? toRequestError(error, coding, maxBytes);
  }
}

/** A stream reports the failure of its source under another message. */
async function* rethrowing(
  pieces: AsyncIterable<Buffer>,
  onFailure: (error: unknown) => void,
): AsyncGenerator<Buffer> {
  try {
    yield* pieces;
  } catch (error) {
    onFailure(error);
    throw error;
  }
}

function toRequestError(error: unknown, coding: ContentCoding, maxBytes: number): unknown {
  if (error instanceof RequestError) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_BUFFER_TOO_LARGE') return bodyTooLarge(maxBytes);
  return typeof code === 'string' ? badBody(`The body is not valid ${coding}`) : error;
}
