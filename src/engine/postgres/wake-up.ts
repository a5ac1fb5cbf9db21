// Hints to the other servers of a store that something was committed, so that they query at once and
// not at their next poll. Hints are not part of commits: a commit does not wait for one, and many
// commits share one. After a lost hint the next poll finds the commit.

import type { ClientBase } from 'pg';
import type { Link } from './link.ts';

/**
 * Pause between two hints of one server: under load a hint covers many commits.
 */
const PAUSE_MS = 20;
/**
 * How long a server that commits may delay its query after a hint: its own commits also return the
 * commits of others.
 */
const BUSY_MS = 100;

export class WakeUp {
  readonly #link: Link;
  readonly #channel: string;
  readonly #server: { readonly id: number };
  readonly #listening = new WeakSet<ClientBase>();
  #sendTimer: NodeJS.Timeout | undefined;
  #hintTimer: NodeJS.Timeout | undefined;
  #sentMs = 0;
  #committedMs = 0;
  #isStopped = false;

  /** All servers of a store share one channel. */
  constructor(link: Link, channel: string, server: { readonly id: number }) {
    this.#link = link;
    this.#channel = channel;
    this.#server = server;
  }

  /** Notifies the others of a commit of this server, now or after the pause. */
  send(): void {
    const now = performance.now();
    this.#committedMs = now;
    if (this.#sendTimer !== undefined || this.#isStopped) return;
    const waitMs = Math.max(0, this.#sentMs + PAUSE_MS - now);
    this.#sendTimer = setTimeout(() => {
      this.#sendTimer = undefined;
      this.#sentMs = performance.now();
      void this.#notify().catch(() => undefined);
    }, waitMs).unref();
  }

  /** Calls `onHint` when another server committed. Repeated calls for a connection do nothing. */
  async listen(client: ClientBase, onHint: () => void): Promise<void> {
    if (this.#listening.has(client)) return;
    this.#listening.add(client);
    client.on('notification', ({ payload }) => {
      if (payload !== String(this.#server.id)) this.#receive(onHint);
    });
    await client.query(`LISTEN "${this.#channel}"`);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#sendTimer);
    clearTimeout(this.#hintTimer);
  }

  #receive(onHint: () => void): void {
    if (this.#hintTimer !== undefined || this.#isStopped) return;
    if (performance.now() - this.#committedMs > BUSY_MS) {
      onHint();
      return;
    }
    this.#hintTimer = setTimeout(() => {
      this.#hintTimer = undefined;
      onHint();
    }, BUSY_MS).unref();
  }

  async #notify(): Promise<void> {
    const text = `NOTIFY "${this.#channel}", '${this.#server.id}'`;
    await this.#link.useInTurn((client) => client.query(text));
  }
}
