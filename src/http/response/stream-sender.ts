// Sends answers that come in pieces: as fast as the client takes them, and no
// faster; and one slice of one answer between two rounds of the event loop. A
// client that takes everything at once never makes its answer wait, so without
// slices all others would wait for the end of it.

import { giveBack } from '../memory/give-back.ts';
import type { Outgoing } from './outgoing.ts';

interface StreamOptions {
  /** A client that takes nothing for this long is cut off. */
  readonly stalledClientMs: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Gives everything else its turn. */
  readonly pause: () => Promise<void>;
}

const SLICE_MS = 2;

export class StreamSender {
  readonly #options: StreamOptions;
  /** Settles when the last answer that waits for its turn has it. */
  #turns: Promise<void> = Promise.resolve();

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** Body bytes sent. */
  async send(body: AsyncIterable<string | Uint8Array>, outgoing: Outgoing): Promise<number> {
    const { now, stalledClientMs } = this.#options;
    let bytes = 0;
    let sliceEnd = now() + SLICE_MS;
    try {
      for await (const piece of body) {
        // For HEAD the head is the whole answer; leaving the loop closes the source.
        if (outgoing.req.method === 'HEAD' || outgoing.destroyed) break;
        bytes += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
        if (outgoing.write(piece)) continue;
        const isTaken = await drained(outgoing, stalledClientMs);
        // Only when all is written: until then the system reads from this memory.
        if (isTaken && typeof piece !== 'string') giveBack(piece);
        if (now() < sliceEnd) continue;
        await this.#takeTurn();
        sliceEnd = now() + SLICE_MS;
      }
      outgoing.end();
    } catch (error) {
      // The status is gone out already: a cut connection is the only way to say that it failed.
      outgoing.destroy();
      throw error;
    }
    return bytes;
  }

  /** Each answer that waits gets a round of its own. */
  #takeTurn(): Promise<void> {
    this.#turns = this.#turns.then(this.#options.pause);
    return this.#turns;
  }
}

/**
 * Settles when the client took what was written, with true; or when it went away, or was cut off
 * for taking nothing.
 */
function drained(outgoing: Outgoing, stalledClientMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => outgoing.destroy(), stalledClientMs);
    const settle = (isTaken: boolean): void => {
      clearTimeout(timer);
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
