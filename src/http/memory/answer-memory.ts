// Limits the memory of answers that their clients have not read yet. A large complete answer counts
// with all its bytes, a stream with the pieces that may be pending at a time. A stream also counts
// as one of the open streams.

import type { RequestHead } from '../request/request-head.ts';
import type { ResponseBody } from '../response/api-response.ts';
import type { ActiveStreams } from '../serving/active-streams.ts';
import type { BodyMemory } from './body-memory.ts';

/** Smaller answers fit into the kernel's buffers. */
const LARGE_ANSWER_BYTES = 64 * 1024;
/** A piece that waits in the socket, and the next one after it. */
const STREAM_BYTES = 256 * 1024;

type Stream = AsyncIterable<string | Uint8Array>;

export class AnswerMemory {
  readonly #memory: BodyMemory;
  readonly #streams: ActiveStreams;
  /** The client of each request whose answer is a stream. */
  readonly #clients = new Map<RequestHead, string>();

  constructor(memory: BodyMemory, streams: ActiveStreams) {
    this.#memory = memory;
    this.#streams = streams;
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
    const client = this.#clients.get(incoming);
    if (client !== undefined) {
      this.#clients.delete(incoming);
      this.#streams.end(client);
    }
    if (bytes < LARGE_ANSWER_BYTES) this.#memory.release(incoming);
    else this.#memory.releaseWhenTaken(incoming);
  }

  #admitStream(incoming: RequestHead): boolean {
    const client = incoming.socket.remoteAddress ?? '';
    if (!this.#streams.begin(client)) return false;
    if (!this.#memory.holdAnswer(incoming, STREAM_BYTES)) {
      this.#streams.end(client);
      return false;
    }
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
