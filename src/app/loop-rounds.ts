// How queries give way to other requests: they let go of the event loop until
// it has come around. Node accepts one connection a round, so when many come at
// once each of them would wait for as many slices of queries as stand before it;
// the rounds go on until one brings no new connection.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';

const NEW_CONNECTION = 'net.server.socket';
/** However many connections come, queries go on. */
const MAX_ROUNDS = 256;

export class LoopRounds implements Disposable {
  #connections = 0;
  readonly #hear = (): void => {
    this.#connections += 1;
  };

  constructor() {
    subscribe(NEW_CONNECTION, this.#hear);
  }

  pause(): Promise<void> {
    return new Promise((resolve) => this.#go(resolve, 1));
  }

  [Symbol.dispose](): void {
    unsubscribe(NEW_CONNECTION, this.#hear);
  }

  #go(resolve: () => void, round: number): void {
    const before = this.#connections;
    setImmediate(() => {
      if (this.#connections === before || round === MAX_ROUNDS) resolve();
      else this.#go(resolve, round + 1);
    });
  }
}
