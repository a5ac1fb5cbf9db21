// Disconnects clients that read their answers too slowly. The measure is bytes sent, not complete
// pieces: a client that reads slowly but steadily stays, one that reads next to nothing is
// disconnected.

import type { Socket } from 'node:net';
import { whenDrained } from '../response/when-drained.ts';
import { CHECKS_PER_TIMEOUT, checkIntervalMs } from './check-interval.ts';
import { queueName, readSendQueues } from './send-queues.ts';

export interface SlowClientRules {
  /** A client that reads less than the rate below for this long is disconnected. */
  readonly stalledClientMs: number;
  readonly minAnswerBytesPerSecond: number;
}

interface Watched {
  /** Undefined before the first check. */
  readBytes: number | undefined;
  /** Bytes read between consecutive checks, the latest ones. */
  readonly progress: number[];
}

export class SlowClients {
  readonly #leastBytes: number;
  readonly #intervalMs: number;
  readonly #watched = new Map<Socket, Watched>();
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;

  constructor({ minAnswerBytesPerSecond, stalledClientMs }: SlowClientRules) {
    this.#leastBytes = Math.max(1, (minAnswerBytesPerSecond * stalledClientMs) / 1000);
    this.#intervalMs = checkIntervalMs(stalledClientMs);
  }

  /** Destroys the socket when its client turns out to be too slow, until `forget` is called. */
  watch(socket: Socket): void {
    this.#watched.set(socket, { readBytes: undefined, progress: [] });
    this.#timer ??= setInterval(() => void this.#check(), this.#intervalMs).unref();
  }

  forget(socket: Socket): void {
    this.#watched.delete(socket);
  }

  /** As `watch`, for the bytes that are pending on the socket now. */
  watchUntilDrained(socket: Socket): void {
    if (this.#watched.has(socket)) return;
    this.watch(socket);
    whenDrained(socket, () => this.forget(socket));
  }

  async #check(): Promise<void> {
    if (this.#watched.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    if (this.#isChecking) return;
    this.#isChecking = true;
    const queues = await readSendQueues();
    this.#isChecking = false;
    for (const [socket, watched] of this.#watched) {
      const queued = queues?.get(queueName(socket) ?? '') ?? 0;
      const readBytes = socket.bytesWritten - unsentBytes(socket) - queued;
      if (this.#isTooSlow(watched, readBytes)) socket.destroy();
    }
  }

  #isTooSlow(watched: Watched, readBytes: number): boolean {
    const { progress } = watched;
    // The two figures are not of the same moment, so they may seem to go backwards.
    const progressBytes = watched.readBytes === undefined ? 0 : readBytes - watched.readBytes;
    if (watched.readBytes !== undefined) progress.push(Math.max(0, progressBytes));
    watched.readBytes = readBytes;
    if (progress.length > CHECKS_PER_TIMEOUT) progress.shift();
    const sum = progress.reduce((all, bytes) => all + bytes, 0);
    return progress.length === CHECKS_PER_TIMEOUT && sum < this.#leastBytes;
  }
}

/**
 * Bytes that the system has not accepted. Node counts a write until all of it is accepted, and an
 * answer of megabytes is one write. Its handle has the exact figure; that is not documented, though
 * Node's own time-outs use it.
 */
function unsentBytes(socket: Socket & { readonly _handle?: unknown }): number {
  const handle = socket._handle as { readonly writeQueueSize?: number } | null | undefined; // Node's
  return handle?.writeQueueSize ?? socket.writableLength;
}
