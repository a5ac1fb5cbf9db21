// `gridkeep help [command]`. The flags of `start` come from the setting table.

import type { SettingPath } from '../../config/config.ts';
import { environmentName, SETTING_FLAGS, SETTING_PATHS } from '../../config/setting-names.ts';
import { SETTINGS } from '../../config/setting-table.ts';
import { refuseUsage } from '../print-errors.ts';
import { printTable } from '../print-table.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import { TASK_HELP } from './task-help.ts';

const OVERVIEW = `gridkeep: regions of JSON documents and stored OQL queries over plain HTTP

  gridkeep start [flags]     serve a data directory (see: gridkeep help start)
  gridkeep config [flags]    show every setting with its value and its origin
  gridkeep check             look for damage in a data directory
  gridkeep accept-loss       let a store continue without its missing commits
  gridkeep backup            copy the data of a running or stopped server into a file
  gridkeep restore           restore a backup into a data directory
  gridkeep export            write a region, or all of them, as lines of JSON
  gridkeep import            read such lines, JSON or CSV into a region
  gridkeep move              move a grid from a directory into a database, or back
  gridkeep hash-password     make a password hash for the config file
  gridkeep make-api-key      make an API key and its hash for the config file
  gridkeep help [command]    this text, or more about a command or about settings
  gridkeep version           the version`;

const TEXTS: Readonly<Record<string, () => string>> = {
  start: () => `gridkeep start [flags]

Serves a data directory until SIGTERM or SIGINT. The first line on standard
output names the address. A second signal stops it at once.

${printTable([
  ['--config FILE', 'read this config file instead of gridkeep.yaml'],
  ['--sample', 'create and fill the sample regions that do not exist'],
  [
    '--activity',
    'with --sample: write to it a few times per second, so that feeds and charts change',
  ],
  ['--load REGION=FILE', 'load a JSON, NDJSON or CSV file into a region first; may be repeated'],
  ['--load-key MEMBER', 'the member or column of those files that is the key; default: id'],
  ...shortFlags(),
])}

Every setting has a long flag as well: gridkeep help settings`,
  config: () => `gridkeep config [flags]

Shows the settings that "gridkeep start" would run with, given the same flags,
environment and config file, and the origin of each. Runs the checks that start runs
before it opens the store, including logins, certificate, regions, indexes and queries.
Reports every mistake with its line; the exit code is then 2.`,
  ...TASK_HELP,
  'hash-password': () => `gridkeep hash-password

Reads a password, from the terminal without showing it or as one line of standard
input, and prints the hash for "password-hash" of a user in the config file.`,
  'make-api-key': () => `gridkeep make-api-key

Prints a new API key and its hash for the config file. The key is stored nowhere
and shown only this once.`,
  settings: () =>
    `Settings: in gridkeep.yaml, in the environment, or as a flag; a flag wins over the
environment, which wins over the file.

${SETTING_PATHS.map(describe).join('\n\n')}`,
  help: () => OVERVIEW,
  version: () => 'gridkeep version\n\nShows the version.',
};

export async function runHelp(args: readonly string[], terminal: Terminal): Promise<number> {
  const topic = args[0] ?? 'help';
  const text = Object.hasOwn(TEXTS, topic) ? TEXTS[topic] : undefined;
  if (text === undefined) {
    const known = Object.keys(TEXTS).join(', ');
    return refuseUsage(terminal, [`no help about ${topic}; there is help about ${known}`]);
  }
  terminal.print(text());
  return EXIT.ok;
}

function shortFlags(): readonly (readonly string[])[] {
  return SETTING_FLAGS.filter(isWorthShowing).map(({ name, path, value }) => [
    value === undefined ? `--${name} ${placeholder(path)}` : `--${name}`,
    value === undefined ? SETTINGS[path].doc : `${path} = ${value}`,
  ]);
}

/** The short forms, and the settings of the log, which have none. */
function isWorthShowing({ name, path }: { name: string; path: SettingPath }): boolean {
  return name !== path.replaceAll('.', '-') || path.startsWith('log.');
}

function placeholder(path: SettingPath): string {
  const { type } = SETTINGS[path];
  switch (type.kind) {
    case 'choice':
      return type.words.join('|');
    case 'switch':
      return 'on|off';
    case 'integer':
    case 'bytes':
      return 'N';
    case 'list':
      return 'A,B';
    case 'text':
      return 'TEXT';
  }
}

function describe(path: SettingPath): string {
  const { doc, fallback } = SETTINGS[path];
  const flag = `--${path.replaceAll('.', '-')} ${placeholder(path)}`;
  const shown = JSON.stringify(fallback);
  return `${path} (${environmentName(path)}, ${flag}, default ${shown})\n  ${doc}`;
}
