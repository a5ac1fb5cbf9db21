// Compresses answers, for clients that accept it (`Accept-Encoding`). Short answers stay
// uncompressed: compression takes longer than sending them. It runs on Node's thread pool.

import { promisify } from 'node:util';
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib';
import { parseRange } from '../request/accept.ts';
import type { ApiResponse } from './api-response.ts';

export type Encoding = 'zstd' | 'br' | 'gzip';

/** Shorter bodies fit into one packet anyway. */
const MIN_BYTES = 1400;
const GZIP = { level: 5 };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

const WHOLE = {
  zstd: (body: Uint8Array): Promise<Buffer> => promisify(zstdCompress)(body, ZSTD),
  br: (body: Uint8Array): Promise<Buffer> => promisify(brotliCompress)(body, BROTLI),
  gzip: (body: Uint8Array): Promise<Buffer> => promisify(gzip)(body, GZIP),
} satisfies Record<Encoding, (body: Uint8Array) => Promise<Buffer>>;

const STREAMS = {
  zstd: () => createZstdCompress(ZSTD),
  br: () => createBrotliCompress(BROTLI),
  gzip: () => createGzip(GZIP),
} satisfies Record<Encoding, () => NodeJS.ReadWriteStream>;

/** In order of preference, if a client has none. */
const ENCODINGS: readonly Encoding[] = ['zstd', 'br', 'gzip'];

/** The encoding that the client prefers; undefined when it accepts none of ours. */
export function chooseEncoding(header: string): Encoding | undefined {
  const qualities = new Map<string, number>();
  for (const { name, quality } of header.split(',').map(parseRange)) qualities.set(name, quality);
  const qualityOf = (name: string): number => qualities.get(name) ?? qualities.get('*') ?? 0;
  // A client may prefer the plain form.
  let best: Encoding | undefined;
  let bestQuality = Math.max(0, qualities.get('identity') ?? 0);
  for (const encoding of ENCODINGS) {
    if (qualityOf(encoding) <= 0 || qualityOf(encoding) < bestQuality) continue;
    if (best !== undefined && qualityOf(encoding) <= bestQuality) continue;
    best = encoding;
    bestQuality = qualityOf(encoding);
  }
  return best;
}

/** Whether another client may get this answer compressed, which caches must know. */
export function isCompressible({ beginsAtOnce, body, headers, status }: ApiResponse): boolean {
  if (body === undefined || beginsAtOnce === true) return false;
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  if (isWhole && body.length < MIN_BYTES) return false;
  return status !== 204 && status !== 304 && !headers.includes('Content-Encoding');
}

/**
 * The compressed answer; unchanged if that would be no shorter. The answer to HEAD has the headers
 * of the answer to GET, and needs no compressed stream.
 */
export async function compressResponse(
  response: ApiResponse,
  encoding: Encoding,
  method: string,
): Promise<ApiResponse> {
  const { body, ...rest } = response;
  if (body === undefined) return response;
  const headers = encodedHeaders(response.headers, encoding);
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    const stream = method === 'HEAD' ? body : compressStream(body, encoding);
    return { ...rest, bodyBytes: undefined, headers, body: stream };
  }
  const plain = typeof body === 'string' ? Buffer.from(body) : body;
  const compressed = await WHOLE[encoding](plain);
  if (compressed.length >= plain.length) return response;
  return { ...rest, bodyBytes: compressed.length, headers, body: compressed };
}

/** A compressed body has its own strong tag; preconditions accept either tag. */
function encodedHeaders(headers: readonly string[], encoding: Encoding): readonly string[] {
  const tagAt = headers.indexOf('ETag') + 1;
  const tagged = headers.map((text, i) =>
    tagAt > 0 && i === tagAt ? text.replace(/"$/, `-${encoding}"`) : text,
  );
  return [...tagged, 'Content-Encoding', encoding];
}

/** The tag of the plain form: `"42-gzip"` names the version that `"42"` names. */
export function plainTag(tag: string): string {
  return tag.replace(/-(?:zstd|br|gzip)"$/, '"');
}

async function* compressStream(
  pieces: AsyncIterable<string | Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<Uint8Array> {
  const stream = STREAMS[encoding]();
  const writing = writeAll(pieces, stream);
  // Rethrown below, and handled here in case the client disconnects first.
  writing.catch((error: Error) => stream.destroy(error));
  try {
    for await (const piece of stream) yield piece;
    await writing;
  } finally {
    stream.destroy();
  }
}

async function writeAll(
  pieces: AsyncIterable<string | Uint8Array>,
  stream: ReturnType<(typeof STREAMS)[Encoding]>,
): Promise<void> {
  for await (const piece of pieces) {
    // Leaving the loop closes the source.
    if (stream.destroyed) return;
    await new Promise<void>((resolve) => {
      stream.once('close', resolve);
      stream.write(piece, () => {
        stream.off('close', resolve);
        resolve();
      });
    });
  }
  stream.end();
}
