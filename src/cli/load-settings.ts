// Shared by `start` and `config`: loads the configuration from flags, environment and file, or
// prints the problems.

import {
  type ConfigOutcome,
  type ConfigSources,
  type LoadedConfig,
  loadConfig,
} from '../config/load-config.ts';
import { parseFlags } from './parse-flags.ts';
import { refuseUsage } from './print-errors.ts';
import type { Terminal } from './terminal.ts';
import type { FileLoad } from './transfer/load-files.ts';

export interface Settings {
  readonly loaded: LoadedConfig;
  readonly sample: boolean;
  readonly activity: boolean;
  readonly loads: readonly FileLoad[];
  readonly loadKey: string | undefined;
  /** Reloads from the same sources. */
  readonly loadAgain: () => Promise<ConfigOutcome>;
}

/** Prints every problem, and returns undefined when there is one. */
export async function loadSettings(
  args: readonly string[],
  terminal: Terminal,
): Promise<Settings | undefined> {
  const { activity, configFile, loadKey, loads, problems, sample, settings } = parseFlags(args);
  const sources: ConfigSources = {
    flags: settings,
    workingDirectory: terminal.workingDirectory,
    ...(configFile === undefined ? {} : { configFile }),
    ...(terminal.environment === undefined ? {} : { environment: terminal.environment }),
  };
  const outcome = await loadConfig(sources);
  const activityProblems = activity && !sample ? ['--activity needs --sample'] : [];
  const allProblems = [
    ...problems,
    ...activityProblems,
    ...(outcome.kind === 'refused' ? outcome.problems : []),
  ];
  if (allProblems.length > 0 || outcome.kind === 'refused') {
    refuseUsage(terminal, allProblems);
    return undefined;
  }
  const loadAgain = (): Promise<ConfigOutcome> => loadConfig(sources);
  return { loaded: outcome, sample, activity, loads, loadKey, loadAgain };
}
