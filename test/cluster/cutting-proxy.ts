// A TCP proxy in front of a database that cuts its connections when told so: the bytes of an
// answer may be lost though the commit was made, and a request though it was sent.

import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export class CuttingProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #port = 0;
  #isOpen = true;

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

  /** Cuts all connections; `answers` lets requests through and loses what comes back. */
  cut(kind: 'both' | 'answers'): void {
    for (const [near, far] of this.#pairs) {
      if (kind === 'both') far.destroy();
      // What was sent is still carried out.
      else far.unpipe(near).end();
      near.destroy();
    }
  }

  /** Carries nothing more, in either direction, and cuts nothing: the far end is slow. */
  stall(): void {
    for (const [near, far] of this.#pairs) {
      near.unpipe(far).pause();
      far.unpipe(near).pause();
    }
  }

  /** Carries on after `stall`. */
  resume(): void {
    for (const [near, far] of this.#pairs) {
      near.pipe(far);
      far.pipe(near);
    }
  }

  /** Cuts all connections and takes no more. */
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
