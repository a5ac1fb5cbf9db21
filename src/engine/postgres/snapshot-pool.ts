// A pool of connections for snapshots; when all are in use, further snapshots wait. Each connection
// is in a transaction. A second connection can import its snapshot for a COPY.

import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { ReadSignal } from '../engine.ts';
import { engineClosed, readAborted, storeUnreachable } from '../errors.ts';
import type { Connector } from './connector.ts';
import { endClient } from './link.ts';

interface QueuedRead {
  readonly signal: ReadSignal | undefined;
  readonly untilMs: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Connections for COPY at once. */
const MAX_COPIES = 4;
/** How long a snapshot waits for its turn. */
const WAIT_MS = 10_000;
/** How often the queue is checked for aborted and expired requests. */
const CHECK_MS = 50;
/** How long to wait for a returning connection: opening one takes about as long. */
const RETURN_MS = 50;

export class SnapshotPool {
  readonly #connector: Connector;
  readonly #maxOpen: number;
  readonly #idle: Client[] = [];
  readonly #all = new Set<Client>();
  /** Connections that are ending their transactions. Waiting for one is faster than opening another. */
  readonly #returning = new Set<Promise<void>>();
  #queue: QueuedRead[] = [];
  #checking: NodeJS.Timeout | undefined;
  #open = 0;
  #copies = 0;
  #isClosed = false;

  constructor(connector: Connector, maxOpen: number) {
    this.#connector = connector;
    this.#maxOpen = maxOpen;
  }

  /** Return it with `release`. */
  async acquire(signal?: ReadSignal): Promise<Client> {
    if (this.#isClosed) throw engineClosed();
    if (this.#open >= this.#maxOpen) await this.#wait(signal);
    this.#open += 1;
    return this.#take(() => this.#leave());
  }

  /** A second connection for a snapshot; undefined when none is free. */
  async acquireForCopy(): Promise<Client | undefined> {
    if (this.#copies >= MAX_COPIES) return undefined;
    this.#copies += 1;
    return this.#take(() => {
      this.#copies -= 1;
    });
  }

  /** Returns a connection to the pool when `end` has ended its transaction. */
  releaseAfter(client: Client, use: 'snapshot' | 'copy', end: Promise<unknown>): void {
    const returning = end
      .then(
        () => this.release(client, use, 'idle'),
        () => this.release(client, use, 'broken'),
      )
      .finally(() => this.#returning.delete(returning));
    this.#returning.add(returning);
  }

  /** Returns an idle connection to the pool, and closes a broken one. */
  release(client: Client, use: 'snapshot' | 'copy', state: 'idle' | 'broken'): void {
    if (use === 'snapshot') this.#leave();
    else this.#copies -= 1;
    if (state === 'idle' && !this.#isClosed && this.#all.has(client)) this.#idle.push(client);
    else {
      this.#all.delete(client);
      void endClient(client);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#checking);
    for (const { reject } of this.#queue.splice(0)) reject(engineClosed());
    const clients = [...this.#all];
    this.#all.clear();
    await Promise.all(clients.map(endClient));
  }

  async #take(onFailure: () => void): Promise<Client> {
    try {
      if (this.#idle.length === 0 && this.#returning.size > 0) {
        await Promise.race([...this.#returning, delay(RETURN_MS, undefined, { ref: false })]);
      }
      return this.#idle.pop() ?? (await this.#connect());
    } catch (error) {
      onFailure();
      throw error;
    }
  }

  async #connect(): Promise<Client> {
    const client = await this.#connector.connect();
    this.#all.add(client);
    client.once('end', () => {
      this.#all.delete(client);
      const at = this.#idle.indexOf(client);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    return client;
  }

  #leave(): void {
    this.#open -= 1;
    this.#queue.shift()?.resolve();
  }

  #wait(signal: ReadSignal | undefined): Promise<void> {
    this.#checking ??= setInterval(() => this.#check(), CHECK_MS).unref();
    const untilMs = performance.now() + WAIT_MS;
    return new Promise((resolve, reject) => {
      this.#queue.push({ signal, untilMs, resolve, reject });
    });
  }

  #check(): void {
    const now = performance.now();
    this.#queue = this.#queue.filter(({ reject, signal, untilMs }) => {
      if (signal?.aborted === true) reject(readAborted());
      else if (now > untilMs) reject(storeUnreachable('too many snapshots are open'));
      else return true;
      return false;
    });
    if (this.#queue.length > 0) return;
    clearInterval(this.#checking);
    this.#checking = undefined;
  }
}
