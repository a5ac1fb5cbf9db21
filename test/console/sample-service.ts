// The service with the sample grid, as `start --sample` runs it: real metrics, real
// logins. It can be stopped and started again at the same address.

import { rmSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, type RunningService, startService } from '../../src/app/index.ts';
import type { FlagValue } from '../../src/config/load-config.ts';

export interface SampleSettings {
  /** Settings by their path: `{ 'limits.body-bytes': 1000 }`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The config file, for logins and declarations. */
  readonly yaml?: string;
}

export class SampleService implements AsyncDisposable {
  readonly #directory: string;
  readonly #settings: SampleSettings;
  #service: RunningService;

  private constructor(directory: string, settings: SampleSettings, service: RunningService) {
    this.#directory = directory;
    this.#settings = settings;
    this.#service = service;
  }

  static async start(settings: SampleSettings = {}): Promise<SampleService> {
    const directory = await mkdtemp(join(tmpdir(), 'gridkeep-console-'));
    try {
      if (settings.settings?.['store.engine'] !== 'memory') await copySample(directory);
      await writeFile(join(directory, 'gridkeep.yaml'), settings.yaml ?? '');
      return new SampleService(directory, settings, await start(directory, settings, 0));
    } catch (error) {
      await rm(directory, { recursive: true });
      throw error;
    }
  }

  get url(): string {
    return this.#service.url;
  }

  async stop(): Promise<void> {
    await this.#service.stop('asked by a test');
  }

  /** Starts again after `stop`, on the same store and at the same address. */
  async startAgain(): Promise<void> {
    this.#service = await start(this.#directory, this.#settings, Number(new URL(this.url).port));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.#directory, { recursive: true });
  }
}

/** A directory with the sample grid, loaded once for all services of this process. */
let sampleDirectory: Promise<string> | undefined;

async function copySample(directory: string): Promise<void> {
  sampleDirectory ??= loadSample();
  await cp(join(await sampleDirectory, 'data'), join(directory, 'data'), { recursive: true });
}

async function loadSample(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gridkeep-sample-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const service = await start(directory, {}, 0);
  await service.stop('loaded');
  return directory;
}

async function start(
  directory: string,
  { settings = {} }: SampleSettings,
  port: number,
): Promise<RunningService> {
  const flags = Object.entries({
    'http.port': port,
    'http.drain-linger-ms': 0,
    'store.directory': join(directory, 'data'),
    'store.durability': 'relaxed',
    ...settings,
    // The tests name settings that exist; a wrong one is refused.
  }).map(([path, raw]) => ({ path: path as FlagValue['path'], raw, name: path }));
  const outcome = await loadConfig({ flags, environment: {}, workingDirectory: directory });
  if (outcome.kind === 'refused') throw new Error(outcome.problems.join('\n'));
  return startService(outcome, { sample: {} });
}
