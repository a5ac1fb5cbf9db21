// Limits the answers that their clients have not read yet. A large complete answer counts with all
// its bytes, a stream with the pieces that may be pending at a time. Streams mostly wait for their
// clients and need memory and a snapshot of the store, but no CPU time. So their number has its own
// limits, besides that of requests in flight.

import type { RequestHead } from '../request/request-head.ts';
import type { ResponseBody } from '../response/api-response.ts';
import type { BodyMemory } from './body-memory.ts';

/** Smaller answers fit into the kernel's buffers. */
const LARGE_ANSWER_BYTES = 64 * 1024;
/** A piece that waits in the socket, and the next one after it. */
const STREAM_BYTES = 256 * 1024;

type Stream = AsyncIterable<string | Uint8Array>;

export interface StreamLimits {
  readonly maxStreams: number;
  /** Per client address, so that one client cannot use all of them. */
  readonly maxStreamsPerClient: number;
}

export class AnswerMemory {
  readonly #memory: BodyMemory;
  readonly #limits: StreamLimits;
  /** The client of each request whose answer is a stream. */
  readonly #clients = new Map<RequestHead, string>();

  constructor(memory: BodyMemory, limits: StreamLimits) {
    this.#memory = memory;
    this.#limits = limits;
  }

  /** Streamed answers that are being sent. */
  get streams(): number {
    return this.#clients.size;
  }

  /** False: there is no memory for this answer now. A refused stream is ended. */
  admit(incoming: RequestHead, body: ResponseBody): boolean {
    if (body === undefined) return true;
    if (typeof body === 'string' || body instanceof Uint8Array) {
      return body.length < LARGE_ANSWER_BYTES || this.#memory.holdAnswer(incoming, body.length);
    }
    if (this.#admitStream(incoming)) return true;
    void abandon(body);
    return false;
  }

  /**
   * Call it when the answer was sent, with its bytes: releases its memory and that of the request's
   * body.
   */
  release(incoming: RequestHead, bytes: number): void {
    this.#clients.delete(incoming);
    if (bytes < LARGE_ANSWER_BYTES) this.#memory.release(incoming);
    else this.#memory.releaseWhenDrained(incoming);
  }

  #admitStream(incoming: RequestHead): boolean {
    const { maxStreams, maxStreamsPerClient } = this.#limits;
    const client = incoming.socket.remoteAddress ?? '';
    const clientStreams = [...this.#clients.values()].filter((each) => each === client).length;
    if (this.#clients.size >= maxStreams || clientStreams >= maxStreamsPerClient) return false;
    if (!this.#memory.holdAnswer(incoming, STREAM_BYTES)) return false;
    this.#clients.set(incoming, client);
    return true;
  }
}

/** Starts the generator, because one that never started does not close its source. */
async function abandon(body: Stream): Promise<void> {
  const pieces = body[Symbol.asyncIterator]();
  try {
    await pieces.next();
    await pieces.return?.();
  } catch {
    // The client gets the overload error; the failure of its dropped answer is irrelevant.
  }
}
