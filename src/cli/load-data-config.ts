// The store of a command: --data or --store, or the one that `start` would use with the same
// environment and config file.

import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import type { Options } from './parse-options.ts';
import { refuseUsage } from './print-errors.ts';
import type { Terminal } from './terminal.ts';

/** Prints every problem, and returns undefined when there is one. */
export async function loadDataConfig(
  options: Options,
  terminal: Terminal,
): Promise<LoadedConfig | undefined> {
  const flags = (
    [
      { path: 'store.directory', raw: options.value('data'), name: '--data' },
      { path: 'store.url', raw: options.value('store'), name: '--store' },
    ] as const
  ).flatMap(({ raw, ...flag }) => (raw === undefined ? [] : [{ ...flag, raw }]));
  const configFile = options.value('config');
  const outcome = await loadConfig({
    flags,
    workingDirectory: terminal.workingDirectory,
    ...(configFile === undefined ? {} : { configFile }),
    ...(terminal.environment === undefined ? {} : { environment: terminal.environment }),
  });
  if (outcome.kind === 'loaded') return outcome;
  refuseUsage(terminal, outcome.problems);
  return undefined;
}
