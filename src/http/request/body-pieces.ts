// A body of any length, in pieces. Nothing is read ahead: TCP slows down a sender that is faster
// than the consumer.

import { requestTimeout } from '../errors.ts';
import { endedEarly } from './body.ts';
import { parseContentCoding, unpackPieces } from './content-codings.ts';
import type { RequestSource } from './request-head.ts';
import type { SlowBodies } from './slow-bodies.ts';

export interface PiecesLimits {
  /** Maximum size of a decompressed body. */
  readonly maxUnpackedBytes: number;
  readonly slowBodies?: SlowBodies;
}

export function readPieces(
  incoming: RequestSource,
  { maxUnpackedBytes, slowBodies }: PiecesLimits,
): AsyncIterable<Buffer> {
  const coding = parseContentCoding(incoming.headers);
  const pieces = receive(incoming, slowBodies);
  return coding === undefined ? pieces : unpackPieces(pieces, coding, maxUnpackedBytes);
}

async function* receive(
  incoming: RequestSource,
  slowBodies: SlowBodies | undefined,
): AsyncGenerator<Buffer> {
  if ('body' in incoming) {
    if (incoming.body.length > 0) yield incoming.body;
    return;
  }
  if (incoming.destroyed && !incoming.readableEnded) throw endedEarly();
  // The connection must stay open for the answer.
  const pieces: AsyncIterator<Buffer> = incoming.iterator({ destroyOnReturn: false });
  const waited = { bytes: 0, ms: 0 };
  for (;;) {
    const next = await waitFor(pieces, waited, slowBodies);
    if (next.done === true) return;
    yield next.value;
  }
}

/** Only the time spent waiting for the sender counts against it. */
async function waitFor(
  pieces: AsyncIterator<Buffer>,
  waited: { bytes: number; ms: number },
  slowBodies: SlowBodies | undefined,
): Promise<IteratorResult<Buffer>> {
  const startedMs = performance.now();
  let onSlow = (): void => undefined;
  const slow = new Promise<never>((_, reject) => {
    onSlow = () => reject(requestTimeout());
  });
  slow.catch(() => undefined);
  const reading = slowBodies?.begin(onSlow);
  try {
    const next = await Promise.race([pieces.next(), slow]);
    waited.ms += performance.now() - startedMs;
    waited.bytes += next.value?.length ?? 0;
    if (slowBodies?.isSlow(waited.bytes, waited.ms) === true) throw requestTimeout();
    return next;
  } catch (error) {
    throw error instanceof Error && error.name === 'RequestError' ? error : endedEarly();
  } finally {
    if (reading !== undefined) slowBodies?.end(reading);
  }
}
