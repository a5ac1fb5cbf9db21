// The connections of open snapshots: a limited number; further snapshots wait. Each is in a
// transaction that shows one moment; a second connection can import that moment for a COPY.

import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { ReadSignal } from '../engine.ts';
import { engineClosed, readAborted, storeUnreachable } from '../errors.ts';
import type { Connector } from './connector.ts';
import { endClient } from './link.ts';

export interface SnapshotLimits {
  readonly maxOpen: number;
  readonly maxCopies: number;
  /** How long a snapshot waits for its turn. */
  readonly waitMs: number;
}

interface Waiting {
  readonly signal: ReadSignal | undefined;
  readonly untilMs: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** How often waiting snapshots are checked. */
const LOOK_MS = 50;
/** Longer than this a connection is not waited for: opening one takes less. */
const RETURN_MS = 50;

export class SnapshotPool {
  readonly #connector: Connector;
  readonly #limits: SnapshotLimits;
  readonly #idle: Client[] = [];
  readonly #all = new Set<Client>();
  /** Connections that end their transactions. To wait for one is faster than to open another. */
  readonly #returning = new Set<Promise<void>>();
  #waiting: Waiting[] = [];
  #looking: NodeJS.Timeout | undefined;
  #open = 0;
  #copies = 0;
  #isClosed = false;

  constructor(connector: Connector, limits: SnapshotLimits) {
    this.#connector = connector;
    this.#limits = limits;
  }

  /** Return it with `release`. */
  async acquire(signal?: ReadSignal): Promise<Client> {
    if (this.#isClosed) throw engineClosed();
    if (this.#open >= this.#limits.maxOpen) await this.#wait(signal);
    this.#open += 1;
    return this.#take(() => this.#leave());
  }

  /** A second connection for a snapshot; undefined when none is free. */
  async acquireForCopy(): Promise<Client | undefined> {
    if (this.#copies >= this.#limits.maxCopies) return undefined;
    this.#copies += 1;
    return this.#take(() => {
      this.#copies -= 1;
    });
  }

  /** Gives back a connection when it has ended its transaction, which `end` does. */
  releaseAfter(client: Client, use: 'snapshot' | 'copy', end: Promise<unknown>): void {
    const returning = end
      .then(
        () => this.release(client, use, 'at-rest'),
        () => this.release(client, use, 'broken'),
      )
      .finally(() => this.#returning.delete(returning));
    this.#returning.add(returning);
  }

  /** A connection that is not at rest is closed instead of kept. */
  release(client: Client, use: 'snapshot' | 'copy', state: 'at-rest' | 'broken'): void {
    if (use === 'snapshot') this.#leave();
    else this.#copies -= 1;
    if (state === 'at-rest' && !this.#isClosed && this.#all.has(client)) this.#idle.push(client);
    else {
      this.#all.delete(client);
      void endClient(client);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#looking);
    for (const { reject } of this.#waiting.splice(0)) reject(engineClosed());
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
    this.#waiting.shift()?.resolve();
  }

  #wait(signal: ReadSignal | undefined): Promise<void> {
    this.#looking ??= setInterval(() => this.#look(), LOOK_MS).unref();
    const untilMs = performance.now() + this.#limits.waitMs;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ signal, untilMs, resolve, reject });
    });
  }

  #look(): void {
    const now = performance.now();
    this.#waiting = this.#waiting.filter(({ reject, signal, untilMs }) => {
      if (signal?.aborted === true) reject(readAborted());
      else if (now > untilMs) reject(storeUnreachable('too many snapshots are open'));
      else return true;
      return false;
    });
    if (this.#waiting.length > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }
}
