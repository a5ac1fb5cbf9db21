// `gridkeep help [command]`, for a terminal of 80 columns. The flags of `start` come from the setting
// table.

import type { SettingPath } from '../../config/config.ts';
import { environmentName, SETTING_FLAGS, SETTING_PATHS } from '../../config/setting-names.ts';
import { SETTINGS } from '../../config/setting-table.ts';
import { suggestName } from '../../config/suggest-name.ts';
import { refuseUsage } from '../print-errors.ts';
import { wrapText } from '../print-table.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import { HELP_WIDTH, printOptions, TASK_HELP } from './task-help.ts';

const OVERVIEW = `gridkeep: regions of JSON documents and stored OQL queries over plain HTTP

  gridkeep start [flags]     serve a data directory (see: gridkeep help start)
  gridkeep config [flags]    show every setting with its value and its origin
  gridkeep check             look for damage in a data directory
  gridkeep accept-loss       let a store continue without its missing commits
  gridkeep backup            copy the data into a file, also while it is served
  gridkeep restore           restore a backup into a data directory
  gridkeep export            write a region, or all of them, as lines of JSON
  gridkeep import            read such lines, JSON or CSV into a region
  gridkeep move              move a grid from a directory to a database, or back
  gridkeep hash-password     make a password hash for the config file
  gridkeep make-api-key      make an API key and its hash for the config file
  gridkeep help [command]    this text, or help about a command or settings
  gridkeep version           the version`;

const TEXTS: Readonly<Record<string, () => string>> = {
  start: () => `gridkeep start [flags]

Serves a data directory until SIGTERM or SIGINT. The first line on standard
output names the address. A second signal stops it at once.

${printOptions([
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
  const [topic = 'help', another] = args;
  if (another !== undefined) return refuseUsage(terminal, [`unexpected argument ${another}`]);
  const text = Object.hasOwn(TEXTS, topic) ? TEXTS[topic] : undefined;
  if (text === undefined) {
    const known = Object.keys(TEXTS);
    const hint = suggestName(topic, known) || `; there is help about ${known.join(', ')}`;
    return refuseUsage(terminal, [`no help about ${topic}${hint}`]);
  }
  terminal.print(text().split('\n\n').map(fitBlock).join('\n\n'));
  return EXIT.ok;
}

function shortFlags(): readonly (readonly string[])[] {
  return SETTING_FLAGS.filter(isWorthShowing).map(({ name, path, value }) => [
    value === undefined ? `--${name} ${placeholder(path)}` : `--${name}`,
    SWITCH_TEXTS[name] ?? SETTINGS[path].doc,
  ]);
}

/** Flags without an argument, which set one value of their setting. */
const SWITCH_TEXTS: Readonly<Record<string, string>> = {
  insecure: 'Allow others to reach the service without authentication.',
  memory: 'Keep all data in memory; it is lost at exit.',
};

/** Wraps a paragraph, and lines of usage; lists are wrapped already. */
function fitBlock(block: string): string {
  const lines = block.split('\n');
  if (lines.some((line) => line.startsWith('  '))) return block;
  if (!block.startsWith('gridkeep ')) return wrapText(lines.join(' '), HELP_WIDTH).join('\n');
  return lines.map(fitUsage).join('\n');
}

/** A flag and its value stay on one line, and so does what is in brackets. */
function fitUsage(line: string): string {
  const unbroken = line.replaceAll(/\[[^\]]*\]|\([^)]*\)|--[a-z-]+ [A-Z]+/gu, (part) =>
    part.replaceAll(' ', '\u00a0'),
  );
  const lines = wrapText(unbroken, HELP_WIDTH - INDENT.length);
  return lines.join(`\n${INDENT}`).replaceAll('\u00a0', ' ');
}

const INDENT = '    ';

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
      return TEXT_NAMES.find(([end]) => path.endsWith(end))?.[1] ?? 'TEXT';
  }
}

/** What a text is, by the last part of its setting. */
const TEXT_NAMES: readonly (readonly [string, string])[] = [
  ['-file', 'FILE'],
  ['directory', 'DIR'],
  ['url', 'URL'],
  ['host', 'ADDRESS'],
];

function describe(path: SettingPath): string {
  const { doc, fallback, secret } = SETTINGS[path];
  const flag = secret ? '' : `, --${path.replaceAll('.', '-')} ${placeholder(path)}`;
  const names = `${environmentName(path)}${flag}; default ${JSON.stringify(fallback)}`;
  return `${path}\n${printOptions([[names], [doc]])}`;
}
