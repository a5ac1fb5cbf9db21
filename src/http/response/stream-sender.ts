// Sends streamed answers as fast as their clients read, and one slice of one answer per round of
// the event loop. Without slices, an answer to a client that reads everything at once would block
// all others until its end.

import { detachBuffer } from '../../value/detach-buffer.ts';
import type { Outgoing } from './outgoing.ts';
import { whenDrained } from './when-drained.ts';

interface StreamOptions {
  /** Total time of an answer, because it holds a snapshot of the store; 0: no limit. */
  readonly maxAnswerMs: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Yields to the event loop. */
  readonly pause: () => Promise<void>;
  /**
   * Called when an answer begins to wait for its client; returns a function to call when it
   * continues.
   */
  readonly onWait: (outgoing: Outgoing) => () => void;
}

const SLICE_MS = 2;

export interface SentStream {
  /** Body bytes handed to the socket. */
  readonly bytes: number;
  /** The error of the body, if it failed. */
  readonly failedBy?: unknown;
  /** The same error, if it cut off an answer whose client was still connected. */
  readonly cutBy?: unknown;
}

export class StreamSender {
  readonly #options: StreamOptions;
  /** Settles when the last queued answer has had its turn. */
  #turns: Promise<void> = Promise.resolve();

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** Never throws: a failing body is cut off. */
  async send(body: AsyncIterable<string | Uint8Array>, outgoing: Outgoing): Promise<SentStream> {
    const { maxAnswerMs } = this.#options;
    const timer = maxAnswerMs > 0 ? setTimeout(() => outgoing.destroy(), maxAnswerMs) : undefined;
    const sent = { bytes: 0 };
    try {
      await this.#sendPieces(body, outgoing, sent);
      return sent;
    } catch (error) {
      if (outgoing.destroyed) return { ...sent, failedBy: error };
      // The status was sent: only a cut connection can signal the failure.
      outgoing.destroy();
      return { ...sent, failedBy: error, cutBy: error };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Counts the written bytes in `sent`, so that the count survives a failing body. */
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
      const isDrained = await this.#drained(outgoing);
      // Only when all is written: until then the kernel reads from this memory.
      if (isDrained && typeof piece !== 'string') detachBuffer(piece);
      if (now() < sliceEnd) continue;
      // Each waiting answer gets its own round of the event loop.
      this.#turns = this.#turns.then(this.#options.pause);
      await this.#turns;
      sliceEnd = now() + SLICE_MS;
    }
    outgoing.end();
  }

  /** Settles with true when the client has read the pending bytes, with false when it is gone. */
  #drained(outgoing: Outgoing): Promise<boolean> {
    return new Promise((resolve) => {
      const goOn = this.#options.onWait(outgoing);
      whenDrained(outgoing, (isDrained) => {
        goOn();
        resolve(isDrained);
      });
    });
  }
}
