// One connection for one purpose. It is opened on demand, and opened again after it was lost. The
// caller decides what a loss means: reads are repeated, commits are looked up in the log.

import type { Client } from 'pg';
import { engineClosed, storeUnreachable } from '../errors.ts';
import type { Connector, Durability } from './connector.ts';
import { isLost } from './postgres-errors.ts';

/**
 * A transaction of a link holds locks, and is idle only if its process is paused or cut off. The
 * store ends it after this part of the time limit. Commits of other servers wait for the lock for
 * half of the limit, so they still get it.
 */
const IDLE_DIVISOR = 4;

interface Opening {
  readonly client: Promise<Client>;
  /** The connection, once it is open. */
  opened: Client | undefined;
}

export class Link {
  readonly #connector: Connector;
  readonly #timeoutMs: number;
  readonly #durability: Durability | undefined;
  #current: Opening | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  /** The last read of each connection. */
  readonly #reads = new WeakMap<Client, Promise<unknown>>();
  #isClosed = false;

  /**
   * A use that takes longer than the time limit fails, and its connection is closed. `durability`
   * defaults to that of the store.
   */
  constructor(connector: Connector, timeoutMs: number, durability?: Durability) {
    this.#connector = connector;
    this.#timeoutMs = timeoutMs;
    this.#durability = durability;
  }

  /** Throws `engine/unreachable` when no connection can be opened: then nothing was sent. */
  async connect(): Promise<Client> {
    if (this.#isClosed) throw engineClosed();
    this.#current ??= this.#open();
    return await this.#current.client;
  }

  /** Uses the connection. After an error that means its loss, the next use opens another. */
  async use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.useOn(await this.connect(), work);
  }

  /** Like `use`, after all earlier calls of it have ended. */
  useInTurn<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const turn = this.#turn.then(() => this.use(work));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Like `use`, on a connection that `connect` returned. */
  async useOn<T>(client: Client, work: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await within(this.#timeoutMs, work(client));
    } catch (error) {
      if (isLost(error)) this.#drop(client);
      throw error;
    }
  }

  /**
   * Repeats a read that lost its connection until the connector fails. A store may accept connections
   * and never answer, so the read is not repeated once the time limit has passed.
   */
  async read<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const untilMs = performance.now() + this.#timeoutMs;
    for (;;) {
      const client = await this.connect();
      try {
        return await this.useOn(client, (each) => this.#afterOthers(each, work));
      } catch (error) {
        if (!isLost(error) || this.#isClosed || performance.now() >= untilMs) throw error;
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = await this.#current?.client.catch(() => undefined);
    this.#current = undefined;
    if (client !== undefined) await endClient(client);
  }

  /**
   * Reads wait here for their connection, because `pg` warns when it has to queue them. The time
   * limit includes the wait, so that all reads of a silent store fail together.
   */
  #afterOthers<T>(client: Client, work: (client: Client) => Promise<T>): Promise<T> {
    const read = (this.#reads.get(client) ?? Promise.resolve()).then(() => work(client));
    this.#reads.set(
      client,
      read.catch(() => undefined),
    );
    return read;
  }

  #open(): Opening {
    const opening: Opening = {
      client: this.#connector.connect({
        durability: this.#durability,
        idleTransactionMs: this.#timeoutMs / IDLE_DIVISOR,
      }),
      opened: undefined,
    };
    opening.client.then(
      (client) => {
        opening.opened = client;
        client.once('end', () => this.#forget(opening));
      },
      () => this.#forget(opening),
    );
    return opening;
  }

  #forget(opening: Opening): void {
    if (this.#current === opening) this.#current = undefined;
  }

  #drop(client: Client): void {
    // Another use may already have dropped it; the next one is open or being opened then.
    if (this.#current?.opened === client) this.#current = undefined;
    void endClient(client);
  }
}

/** A timer that fires later than this was held up with the whole process. */
const LATE_MS = 500;

/**
 * Throws `engine/unreachable` when the work takes longer; its result is then dropped. A process that
 * was paused has not read its answers yet, so a timer that fires late is started again.
 */
export async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    const begin = (): void => {
      const dueMs = performance.now() + timeoutMs;
      timer = setTimeout(() => {
        if (performance.now() > dueMs + LATE_MS) begin();
        else reject(storeUnreachable(`no answer within ${timeoutMs} ms`));
      }, timeoutMs);
    };
    begin();
  });
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}

/** Ends the connection cleanly; destroys the socket if that hangs. */
export async function endClient(client: Client): Promise<void> {
  const cut = setTimeout(() => Object(client).connection?.stream?.destroy(), 500);
  try {
    await client.end();
  } catch {
    // The connection is already closed.
  } finally {
    clearTimeout(cut);
  }
}
