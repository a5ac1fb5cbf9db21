// The service of a consistency test, which is killed and restarted while clients use it.

import assert from 'node:assert/strict';
import { Client, type Reply } from '../faults/client.ts';
import { GridkeepProcess } from '../faults/gridkeep-process.ts';
import { InProcessGridkeep } from '../faults/in-process-gridkeep.ts';

export interface BreakableService {
  send(method: 'GET' | 'PUT', path: string, body?: string): Promise<Reply>;
  /** Kills it; settles when it answers again. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

export interface KilledServiceOptions {
  /** The data directory. */
  readonly data: string;
  /** The one region of the service. */
  readonly region: string;
  /** Value of `testing.fault`. */
  readonly fault?: string | undefined;
}

/** A service in this process that is never killed. */
async function openSoundService({ data, region }: KilledServiceOptions): Promise<BreakableService> {
  const service = await InProcessGridkeep.start({ data, yaml: `regions: [{ name: ${region} }]\n` });
  const client = new Client(service.port, 256);
  return {
    send: (method, path, body) => client.send(method, path, body === undefined ? {} : { body }),
    restart: async () => assert.fail('it is not to be broken'),
    end: async () => {
      client[Symbol.dispose]();
      await service.stop();
    },
  };
}

/** A service that is killed this many times. */
export function openService(
  options: KilledServiceOptions & { readonly kills: number },
): Promise<BreakableService> {
  const isBroken = options.kills > 0 || options.fault !== undefined;
  return isBroken ? KilledService.open(options) : openSoundService(options);
}

/** One process over a data directory: `restart` kills it with SIGKILL and starts it again. */
class KilledService implements BreakableService {
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
