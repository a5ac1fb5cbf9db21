// Sends answers that come in pieces: as fast as the client takes them, and no
// faster; and one slice of one answer between two rounds of the event loop. A
// client that takes everything at once never makes its answer wait, so without
// slices all others would wait for the end of it.

import { detachBuffer } from '../memory/detach-buffer.ts';
import type { Outgoing } from './outgoing.ts';

interface StreamOptions {
  /** How long an answer may take in all, for it holds a snapshot of the store; 0: for ever. */
  readonly maxAnswerMs: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Gives everything else its turn. */
  readonly pause: () => Promise<void>;
  /** An answer begins to wait for its client; gives what to call when it goes on. */
  readonly onWait: (outgoing: Outgoing) => () => void;
}

const SLICE_MS = 2;

export interface SentStream {
  /** Body bytes handed to the socket. */
  readonly bytes: number;
  /** The error with which the body failed half-way. */
  readonly cutBy?: unknown;
}

export class StreamSender {
  readonly #options: StreamOptions;
  /** Settles when the last answer that waits for its turn has it. */
  #turns: Promise<void> = Promise.resolve();

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** Never fails: a body that does is cut off, and `cutBy` says why. */
  async send(body: AsyncIterable<string | Uint8Array>, outgoing: Outgoing): Promise<SentStream> {
    const { maxAnswerMs } = this.#options;
    const timer = maxAnswerMs > 0 ? setTimeout(() => outgoing.destroy(), maxAnswerMs) : undefined;
    const sent = { bytes: 0 };
    try {
      await this.#sendPieces(body, outgoing, sent);
      return sent;
    } catch (error) {
      // The status is gone out already: a cut connection is the only way to say that it failed.
      outgoing.destroy();
      return { ...sent, cutBy: error };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Counts the bytes handed to the socket in `sent`, so that the count survives a failing body. */
  async #sendPieces(
    body: AsyncIterable<string | Uint8Array>,
    outgoing: Outgoing,
    sent: { bytes: number },
  ): Promise<void> {
    const { now } = this.#options;
    let sliceEnd = now() + SLICE_MS;
    for await (const piece of body) {
      // For HEAD the head is the whole answer; leaving the loop closes the source.
      if (outgoing.req.method === 'HEAD' || outgoing.destroyed) break;
      sent.bytes += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
      if (outgoing.write(piece)) continue;
      const isTaken = await this.#drained(outgoing);
      // Only when all is written: until then the system reads from this memory.
      if (isTaken && typeof piece !== 'string') detachBuffer(piece);
      if (now() < sliceEnd) continue;
      await this.#takeTurn();
      sliceEnd = now() + SLICE_MS;
    }
    outgoing.end();
  }

  /** Each waiting answer gets its own round of the event loop. */
  #takeTurn(): Promise<void> {
    this.#turns = this.#turns.then(this.#options.pause);
    return this.#turns;
  }

  /** Settles with true when the client has read the pending bytes, with false when it is gone. */
  #drained(outgoing: Outgoing): Promise<boolean> {
    return new Promise((resolve) => {
      const goOn = this.#options.onWait(outgoing);
      const settle = (isTaken: boolean): void => {
        goOn();
        outgoing.off('drain', onDrain);
        outgoing.off('close', onClose);
        resolve(isTaken);
      };
      const onDrain = (): void => settle(true);
      const onClose = (): void => settle(false);
      outgoing.on('drain', onDrain);
      outgoing.on('close', onClose);
    });
  }
}
