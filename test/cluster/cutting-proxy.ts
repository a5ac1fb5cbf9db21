// A TCP proxy in front of a database that cuts connections on request. An answer may be lost although
// the commit was made, and a request although it was sent.

import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export class CuttingProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #port = 0;
  #isOpen = true;
  #awaited: { readonly text: string; readonly action: () => void } | undefined;

  private constructor(target: () => number) {
    this.#server = createServer((near) => {
      if (!this.#isOpen) {
        near.destroy();
        return;
      }
      const far = connect(target(), '127.0.0.1');
      const pair = [near, far] as const;
      this.#pairs.add(pair);
      const end = (): void => {
        this.#pairs.delete(pair);
        near.destroy();
        far.destroy();
      };
      for (const socket of pair) socket.on('error', end).on('close', end);
      near.on('data', (sent) => {
        const awaited = this.#awaited;
        if (awaited === undefined || !sent.includes(awaited.text)) return;
        this.#awaited = undefined;
        awaited.action();
      });
      near.pipe(far);
      far.pipe(near);
    });
  }

  static async open(target: () => number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    const address = proxy.#server.address();
    proxy.#port = typeof address === 'object' && address !== null ? address.port : 0;
    return proxy;
  }

  get port(): number {
    return this.#port;
  }

  /** Cuts all connections; `answers` forwards requests but drops their answers. */
  cut(kind: 'both' | 'answers'): void {
    for (const [near, far] of this.#pairs) {
      if (kind === 'both') far.destroy();
      // The database still executes the requests that were sent.
      else far.unpipe(near).end();
      near.destroy();
    }
  }

  /** Acts once, when a connection sends this text. */
  once(text: string, action: () => void): void {
    this.#awaited = { text, action };
  }

  /** Forwards nothing in either direction, without cutting: the database appears slow. */
  stall(): void {
    for (const [near, far] of this.#pairs) {
      near.unpipe(far).pause();
      far.unpipe(near).pause();
    }
  }

  /** Forwards again after `stall`. */
  resume(): void {
    for (const [near, far] of this.#pairs) {
      near.pipe(far);
      far.pipe(near);
    }
  }

  /** Cuts all connections and accepts no more. */
  refuse(): void {
    this.#isOpen = false;
    this.cut('both');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut('both');
    this.#server.close();
    await once(this.#server, 'close');
  }
}
