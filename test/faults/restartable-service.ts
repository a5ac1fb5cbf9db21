// A service that is killed and started again on the same data.

import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { RequestOptions } from '../http-client.ts';
import { ADMIN } from '../service.ts';
import { Client, codeOf } from './client.ts';
import { GridkeepProcess } from './gridkeep-process.ts';

const RETRY_MS = 5;

/** Clients always address the current process. */
export class RestartableService implements AsyncDisposable {
  readonly #data: string;
  #process: GridkeepProcess;
  client: Client;

  static async start(data: string): Promise<RestartableService> {
    return new RestartableService(data, await GridkeepProcess.start({ data }));
  }

  private constructor(data: string, process: GridkeepProcess) {
    this.#data = data;
    this.#process = process;
    this.client = new Client(process.port);
  }

  async restart(): Promise<void> {
    await this.#process.kill();
    this.client[Symbol.dispose]();
    this.#process = await GridkeepProcess.start({ data: this.#data });
    this.client = new Client(this.#process.port);
  }

  kill(): Promise<unknown> {
    return this.#process.kill();
  }

  async createRegion(name: string): Promise<void> {
    const body = JSON.stringify({ name });
    const reply = await this.client.sendTo('POST', `${ADMIN}/regions`, { body });
    assert.equal(reply?.status, 201);
  }

  /**
   * Repeats a request until it has an answer that does not ask for a retry. If `isLost` is true for an
   * answer, it counts as lost, like with a connection that breaks after the request.
   */
  async insist(
    path: string,
    options: RequestOptions,
    isLost: () => boolean = () => false,
  ): Promise<{ readonly status: number; readonly code: string }> {
    for (;;) {
      const reply = await this.client.send('POST', path, options);
      if (isLost()) continue;
      const code = reply === undefined || reply.status < 400 ? '' : codeOf(reply);
      const isOpen =
        reply === undefined || reply.status === 503 || code === 'request/idempotency-key-in-use';
      if (!isOpen) return { status: reply.status, code };
      await delay(RETRY_MS);
    }
  }

  async values(region: string): Promise<readonly Record<string, unknown>[]> {
    const { text } = await this.client.get(`/${region}?limit=ALL`);
    return JSON.parse(text)[region];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client[Symbol.dispose]();
    await this.#process[Symbol.asyncDispose]();
  }
}
