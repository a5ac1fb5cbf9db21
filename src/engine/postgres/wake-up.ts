// A hint to the other servers of a store that something was committed, so that they ask at once and
// not at their next poll. It is sent beside the commits, not in them: a commit waits for nothing more,
// and many share one hint. A hint that is lost costs a poll.

import type { ClientBase } from 'pg';
import type { Link } from './link.ts';

/**
 * Between two hints of one server: under load the others are notified of batches, not of commits.
 */
const PAUSE_MS = 20;
/**
 * A server that commits receives the others' commits with its own; for it a hint may wait this
 * long.
 */
const BUSY_MS = 100;

export class WakeUp {
  readonly #link: Link;
  readonly #channel: string;
  readonly #server: { readonly id: number };
  readonly #listening = new WeakSet<ClientBase>();
  #sending: NodeJS.Timeout | undefined;
  #asking: NodeJS.Timeout | undefined;
  #sentMs = 0;
  #committedMs = 0;
  #isStopped = false;

  /** One channel is one store. */
  constructor(link: Link, channel: string, server: { readonly id: number }) {
    this.#link = link;
    this.#channel = channel;
    this.#server = server;
  }

  /** This server committed something: notifies the others now, or after the pause. */
  send(): void {
    const now = performance.now();
    this.#committedMs = now;
    if (this.#sending !== undefined || this.#isStopped) return;
    const waitMs = Math.max(0, this.#sentMs + PAUSE_MS - now);
    this.#sending = setTimeout(() => {
      this.#sending = undefined;
      this.#sentMs = performance.now();
      void this.#notify().catch(() => undefined);
    }, waitMs).unref();
  }

  /** Calls `onHint` when another server committed; to be called once per connection, or more often. */
  async listen(client: ClientBase, onHint: () => void): Promise<void> {
    if (this.#listening.has(client)) return;
    this.#listening.add(client);
    client.on('notification', ({ payload }) => {
      if (payload !== String(this.#server.id)) this.#hear(onHint);
    });
    await client.query(`LISTEN "${this.#channel}"`);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#sending);
    clearTimeout(this.#asking);
  }

  #hear(onHint: () => void): void {
    if (this.#asking !== undefined || this.#isStopped) return;
    if (performance.now() - this.#committedMs > BUSY_MS) {
      onHint();
      return;
    }
    this.#asking = setTimeout(() => {
      this.#asking = undefined;
      onHint();
    }, BUSY_MS).unref();
  }

  async #notify(): Promise<void> {
    const text = `NOTIFY "${this.#channel}", '${this.#server.id}'`;
    await this.#link.useInTurn((client) => client.query(text));
  }
}
