// Rounds of the event loop, between which queries yield to other requests: a query waits until a round
// is over. Node accepts one connection per round, so with many at once each would wait for a slice
// per earlier one. So a query waits for further rounds until one brings no new connection.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';

const NEW_CONNECTION = 'net.server.socket';
/**
 * Begins no further round after this time, so that queries continue under any number of connections.
 * It is a time and not a number of rounds, because under load a round takes milliseconds.
 */
const MAX_PAUSE_MS = 10;

export class LoopRounds implements Disposable {
  #connections = 0;
  #isEndScheduled = false;
  #callbacks: (() => void)[] = [];
  #pauses: (() => void)[] = [];
  readonly #now: () => number;
  readonly #onConnection = (): void => {
    this.#connections += 1;
  };
  readonly #onEnd = (): void => this.#end();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    subscribe(NEW_CONNECTION, this.#onConnection);
  }

  /** Calls back at the end of this round, before anything that pauses continues. */
  atEnd(callback: () => void): void {
    this.#callbacks.push(callback);
    this.#scheduleEnd();
  }

  pause(): Promise<void> {
    return new Promise((resolve) => this.#waitRound(resolve, this.#now() + MAX_PAUSE_MS));
  }

  [Symbol.dispose](): void {
    unsubscribe(NEW_CONNECTION, this.#onConnection);
  }

  #waitRound(resolve: () => void, endMs: number): void {
    const before = this.#connections;
    this.#pauses.push(() => {
      if (this.#connections === before || this.#now() >= endMs) resolve();
      else this.#waitRound(resolve, endMs);
    });
    this.#scheduleEnd();
  }

  #scheduleEnd(): void {
    if (!this.#isEndScheduled) setImmediate(this.#onEnd);
    this.#isEndScheduled = true;
  }

  #end(): void {
    const callbacks = this.#callbacks;
    const pauses = this.#pauses;
    this.#isEndScheduled = false;
    this.#callbacks = [];
    this.#pauses = [];
    for (const callback of callbacks) callback();
    for (const endPause of pauses) endPause();
  }
}
