// A body of any length, in pieces. Nothing is read ahead: TCP slows down a sender that is faster
// than the consumer.

import { requestTimeout } from '../errors.ts';
import { endedEarly } from './body.ts';
import { parseContentCoding, unpackPieces } from './content-codings.ts';
import type { RequestSource } from './request-head.ts';
import type { SlowBodies } from './slow-bodies.ts';

/** Emitted by a request whose body breaks off while the client can still get an answer. */
export const BODY_CUT = 'body-cut';

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
  const wait: Wait = { bytes: 0, ms: 0, isCut: false, fail: undefined };
  const onCut = (): void => {
    wait.isCut = true;
    wait.fail?.(endedEarly());
  };
  incoming.once(BODY_CUT, onCut);
  try {
    for (;;) {
      const next = await waitFor(pieces, wait, slowBodies);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    incoming.off(BODY_CUT, onCut);
  }
}

interface Wait {
  /** Bytes received, and the time waited for them. */
  bytes: number;
  ms: number;
  /** Whether the body broke off. */
  isCut: boolean;
  /** Ends the current wait. */
  fail: ((error: Error) => void) | undefined;
}

/** Only the time spent waiting for the sender counts against it. */
async function waitFor(
  pieces: AsyncIterator<Buffer>,
  wait: Wait,
  slowBodies: SlowBodies | undefined,
): Promise<IteratorResult<Buffer>> {
  if (wait.isCut) throw endedEarly();
  const startedMs = performance.now();
  // A promise for each wait: one for the whole body would retain every piece that won a race.
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  wait.fail = reject;
  const reading = slowBodies?.begin(() => reject(requestTimeout()));
  try {
    const next = await Promise.race([pieces.next(), failed]);
    wait.ms += performance.now() - startedMs;
    wait.bytes += next.value?.length ?? 0;
    if (slowBodies?.isSlow(wait.bytes, wait.ms) === true) throw requestTimeout();
    return next;
  } catch (error) {
    throw error instanceof Error && error.name === 'RequestError' ? error : endedEarly();
  } finally {
    if (reading !== undefined) slowBodies?.end(reading);
  }
}
