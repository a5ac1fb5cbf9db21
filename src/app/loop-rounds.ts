// The yield of queries to other requests: waits until the event loop has completed a round. Node
// accepts one connection per round, so with many at once each would wait for a slice per earlier
// one. So it waits for further rounds until one brings no new connection.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';

const NEW_CONNECTION = 'net.server.socket';
/**
 * Begins no further round after this time, so that queries continue under any number of connections.
 * It is a time and not a number of rounds, because under load a round takes milliseconds.
 */
const MAX_PAUSE_MS = 10;

export class LoopRounds implements Disposable {
  #connections = 0;
  readonly #now: () => number;
  readonly #onConnection = (): void => {
    this.#connections += 1;
  };

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    subscribe(NEW_CONNECTION, this.#onConnection);
  }

  pause(): Promise<void> {
    return new Promise((resolve) => this.#waitRound(resolve, this.#now() + MAX_PAUSE_MS));
  }

  [Symbol.dispose](): void {
    unsubscribe(NEW_CONNECTION, this.#onConnection);
  }

  #waitRound(resolve: () => void, endMs: number): void {
    const before = this.#connections;
    setImmediate(() => {
      if (this.#connections === before || this.#now() >= endMs) resolve();
      else this.#waitRound(resolve, endMs);
    });
  }
}
