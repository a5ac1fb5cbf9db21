// Schedules housekeeping, a piece at a time on a separate connection. Its commits wait for no disk
// and no standby: if a crash loses one, the piece is done again.

import { beat, deleteGarbage, forgetServers, readStoreBytes, trimLog } from './housekeeping.ts';
import type { Link } from './link.ts';
import type { ServerIdentity } from './server-identity.ts';

export class HousekeepingLoop {
  readonly #link: Link;
  readonly #server: ServerIdentity;
  readonly #maxChangeAgeMs: number;
  #isStopped = false;
  #isRunning = false;
  #isBeating = false;
  /** Bytes of all tables at the last check. */
  storeBytes = 0;

  constructor(link: Link, server: ServerIdentity, maxChangeAgeMs: number) {
    this.#link = link;
    this.#server = server;
    this.#maxChangeAgeMs = maxChangeAgeMs;
  }

  /** Renews the heartbeat of this server, unless the previous renewal is still running. */
  async keepAlive(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    try {
      await this.beat();
    } finally {
      this.#isBeating = false;
    }
  }

  /** Writes the heartbeat and the addresses of this server. */
  async beat(): Promise<void> {
    await this.#link.useInTurn((client) => beat(client, this.#server.id, this.#server.urls));
  }

  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      await this.#link.useInTurn(forgetServers);
      while (!this.#isStopped && (await this.#link.useInTurn(deleteGarbage)));
      const trim = (): Promise<boolean> =>
        this.#link.useInTurn((client) => trimLog(client, 0, this.#maxChangeAgeMs));
      while (!this.#isStopped && (await trim()));
      this.storeBytes = await this.#link.useInTurn(readStoreBytes);
    } finally {
      this.#isRunning = false;
    }
  }

  stop(): void {
    this.#isStopped = true;
  }
}
