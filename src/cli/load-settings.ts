// The step that `start` and `config` share: flags, environment and file become
// the configuration, or complaints.

import {
  type ConfigOutcome,
  type ConfigSources,
  type LoadedConfig,
  loadConfig,
} from '../config/load-config.ts';
import { refuseUsage } from './complain.ts';
import { parseFlags } from './parse-flags.ts';
import type { Terminal } from './terminal.ts';
import type { FileLoad } from './transfer/load-files.ts';

export interface Settings {
  readonly loaded: LoadedConfig;
  readonly sample: boolean;
  readonly activity: boolean;
  readonly loads: readonly FileLoad[];
  readonly loadKey: string | undefined;
  /** From the same sources, as they are then. */
  readonly loadAgain: () => Promise<ConfigOutcome>;
}

/** Complains about every problem and gives undefined when there is one. */
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
  const lone = activity && !sample ? ['--activity needs --sample'] : [];
  const all = [...problems, ...lone, ...(outcome.kind === 'refused' ? outcome.problems : [])];
  if (all.length > 0 || outcome.kind === 'refused') {
    refuseUsage(terminal, all);
    return undefined;
  }
  const loadAgain = (): Promise<ConfigOutcome> => loadConfig(sources);
  return { loaded: outcome, sample, activity, loads, loadKey, loadAgain };
}
