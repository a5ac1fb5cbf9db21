// One connection for one purpose, opened when it is needed and again after it was lost. Whoever
// uses it decides what a loss means: reads are repeated, commits are looked up.

import type { Client } from 'pg';
import { engineClosed, storeUnreachable } from '../errors.ts';
import type { Connector } from './connector.ts';
import { isLost } from './postgres-errors.ts';

export class Link {
  readonly #connector: Connector;
  readonly #timeoutMs: number;
  #client: Promise<Client> | undefined;
  #isClosed = false;

  /** A use that takes longer than the time-out is cut off: its connection is no good. */
  constructor(connector: Connector, timeoutMs: number) {
    this.#connector = connector;
    this.#timeoutMs = timeoutMs;
  }

  /** Fails with `engine/unreachable` when there is no connection to be had: then nothing was sent. */
  async connect(): Promise<Client> {
    if (this.#isClosed) throw engineClosed();
    this.#client ??= this.#open();
    const client = await this.#client;
    return client;
  }

  /** Uses the connection; after an error that is a loss of it the next use opens another. */
  async use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.useOn(await this.connect(), work);
  }

  /** The same on a connection that `connect` gave. */
  async useOn<T>(client: Client, work: (client: Client) => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(storeUnreachable(`no answer within ${this.#timeoutMs} ms`));
      }, this.#timeoutMs);
    });
    try {
      return await Promise.race([work(client), timedOut]);
    } catch (error) {
      if (isLost(error)) this.#drop(client);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Repeats a read that lost its connection, for as long as the connector is patient. */
  async read<T>(work: (client: Client) => Promise<T>): Promise<T> {
    for (;;) {
      const client = await this.connect();
      try {
        return await this.useOn(client, work);
      } catch (error) {
        if (!isLost(error) || this.#isClosed) throw error;
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    if (client !== undefined) await endClient(client);
  }

  #open(): Promise<Client> {
    const opening = this.#connector.connect();
    opening.then(
      (client) => client.once('end', () => this.#forget(opening)),
      () => this.#forget(opening),
    );
    return opening;
  }

  #forget(opening: Promise<Client>): void {
    if (this.#client === opening) this.#client = undefined;
  }

  #drop(client: Client): void {
    this.#client = undefined;
    void endClient(client);
  }
}

/** Says goodbye where somebody listens; a connection that hangs is cut. */
export async function endClient(client: Client): Promise<void> {
  const cut = setTimeout(() => Object(client).connection?.stream?.destroy(), 500);
  try {
    await client.end();
  } catch {
    // It is gone already.
  } finally {
    clearTimeout(cut);
  }
}
