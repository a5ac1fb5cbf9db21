// Answers are written to their sockets at the end of the round of the event loop in which they were
// made. Each write may wake its client, which costs as much as a short answer; a client that has
// not gone to sleep again needs no waking.

import type { Socket } from 'node:net';

/** Maximum time that the first answer of a batch waits for later ones. */
const LONGEST_WAIT_MS = 1;
/** Longer answers are written at once: waking the client costs little in comparison. */
const LONGEST_BYTES = 32 * 1024;

export interface BatchClock {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Calls back at the end of the current round of the event loop. */
  readonly atRoundEnd: (callback: () => void) => void;
}

export class WriteBatch {
  readonly #clock: BatchClock;
  readonly #writeAll = (): void => this.writeAll();
  #sockets: Socket[] = [];
  #firstMs = 0;

  constructor(clock: BatchClock) {
    this.#clock = clock;
  }

  /** Call it before an answer of so many bytes is written; it may wait for the end of the round. */
  hold(socket: Socket, bytes: number): void {
    if (bytes > LONGEST_BYTES || socket.writableCorked > 0) return;
    const nowMs = this.#clock.now();
    if (this.#sockets.length > 0 && nowMs - this.#firstMs >= LONGEST_WAIT_MS) this.writeAll();
    if (this.#sockets.length === 0) {
      this.#firstMs = nowMs;
      this.#clock.atRoundEnd(this.#writeAll);
    }
    socket.cork();
    this.#sockets.push(socket);
  }

  /** Call it before sockets are destroyed. */
  writeAll(): void {
    const sockets = this.#sockets;
    this.#sockets = [];
    for (const socket of sockets) socket.uncork();
  }
}
