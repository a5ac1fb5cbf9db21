// What clients of a consistency test work on: a service that is broken and mended under them.

import { Client, type Reply } from '../faults/client.ts';
import { GridkeepProcess } from '../faults/gridkeep-process.ts';

export interface BreakableService {
  send(method: 'GET' | 'PUT', path: string, body?: string): Promise<Reply>;
  /** Breaks it; settles when it answers again. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

export interface KilledServiceOptions {
  /** The data directory. */
  readonly data: string;
  /** The one region of the service. */
  readonly region: string;
  /** For `testing.fault`. */
  readonly fault?: string | undefined;
}

/** One process over a data directory: `restart` is kill -9 and another start. */
export class KilledService implements BreakableService {
  readonly #options: KilledServiceOptions;
  #process: GridkeepProcess | undefined;
  #client: Client | undefined;
  #restarting: Promise<void> = Promise.resolve();

  private constructor(options: KilledServiceOptions) {
    this.#options = options;
  }

  static async open(options: KilledServiceOptions): Promise<KilledService> {
    const service = new KilledService(options);
    await service.#start();
    return service;
  }

  async #start(): Promise<void> {
    const { data, fault, region } = this.#options;
    this.#process = await GridkeepProcess.start({
      data,
      yaml: `regions: [{ name: ${region} }]\n`,
      ...(fault === undefined ? {} : { fault }),
    });
    this.#client = new Client(this.#process.port, 256);
  }

  restart(): Promise<void> {
    this.#restarting = this.#restarting.then(async () => {
      await this.end();
      await this.#start();
    });
    return this.#restarting;
  }

  async send(method: 'GET' | 'PUT', path: string, body?: string): Promise<Reply> {
    await this.#restarting;
    return this.#client?.send(method, path, body === undefined ? {} : { body });
  }

  async end(): Promise<void> {
    await this.#process?.kill();
    this.#client?.[Symbol.dispose]();
  }
}
