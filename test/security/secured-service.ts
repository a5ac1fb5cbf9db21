// The whole service as `gridkeep start` runs it, from a config file, with its log recorded.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, type RunningService, startService } from '../../src/app/index.ts';
import type { FlagValue } from '../../src/config/load-config.ts';

export type Settings = Readonly<Record<string, unknown>>;

export class SecuredService implements AsyncDisposable {
  readonly directory: string;
  readonly service: RunningService;
  readonly #log: string[];

  private constructor(directory: string, service: RunningService, log: string[]) {
    this.directory = directory;
    this.service = service;
    this.#log = log;
  }

  static async start(
    yaml: string,
    settings: Settings = {},
    environment: Readonly<Record<string, string>> = {},
  ): Promise<SecuredService> {
    const directory = await mkdtemp(join(tmpdir(), 'gridkeep-security-'));
    const log: string[] = [];
    try {
      await writeFile(join(directory, 'gridkeep.yaml'), yaml);
      const flags = Object.entries({
        'http.port': 0,
        'http.drain-linger-ms': 0,
        'store.directory': join(directory, 'data'),
        'log.format': 'json',
        'log.level': 'debug',
        ...settings,
        // The tests name settings that exist; a wrong one is refused.
      }).map(([path, raw]) => ({ path: path as FlagValue['path'], raw, name: path }));
      const load = () => loadConfig({ flags, environment, workingDirectory: directory });
      const outcome = await load();
      if (outcome.kind === 'refused') throw new Error(outcome.problems.join('\n'));
      const service = await startService(outcome, {
        loadAgain: load,
        logTo: { write: (text: string) => log.push(text), on: () => undefined },
      });
      return new SecuredService(directory, service, log);
    } catch (error) {
      await rm(directory, { recursive: true });
      throw error;
    }
  }

  /** Rewrites the config file and reloads, like SIGHUP. */
  async reload(yaml: string): Promise<void> {
    await writeFile(join(this.directory, 'gridkeep.yaml'), yaml);
    await this.service.reload?.();
  }

  get url(): string {
    return this.service.url;
  }

  get logText(): string {
    return this.#log.join('');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.stop('end of test');
    await rm(this.directory, { recursive: true });
  }
}
