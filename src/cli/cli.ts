// The command line: selects a command and passes it the other arguments. Every error is one plain
// sentence on standard error.

import { suggestName } from '../config/suggest-name.ts';
import { runAcceptLoss } from './commands/accept-loss.ts';
import { runBackup } from './commands/backup.ts';
import { runCheck } from './commands/check.ts';
import { runConfig } from './commands/config.ts';
import { runExport } from './commands/export.ts';
import { runHashPassword } from './commands/hash-password.ts';
import { runHelp } from './commands/help.ts';
import { runImport } from './commands/import.ts';
import { runMakeApiKey } from './commands/make-api-key.ts';
import { runMove } from './commands/move.ts';
import { runRestore } from './commands/restore.ts';
import { runStart } from './commands/start.ts';
import { runVersion } from './commands/version.ts';
import { refuseUsage } from './print-errors.ts';
import type { Terminal } from './terminal.ts';

type Command = (args: readonly string[], terminal: Terminal) => Promise<number>;

const COMMANDS: Readonly<Record<string, Command>> = {
  start: runStart,
  config: runConfig,
  check: runCheck,
  'accept-loss': runAcceptLoss,
  backup: runBackup,
  restore: runRestore,
  export: runExport,
  import: runImport,
  move: runMove,
  'hash-password': runHashPassword,
  'make-api-key': runMakeApiKey,
  help: runHelp,
  version: runVersion,
};

/** Runs one command to its end and returns the exit code. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h') return runHelp([], terminal);
  if (name === '--version' || name === '-v') return runVersion([], terminal);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const known = Object.keys(COMMANDS);
    const hint = suggestName(name, known) || `; the commands are ${known.join(', ')}`;
    return refuseUsage(terminal, [`unknown command ${name}${hint}`]);
  }
  if (rest.includes('--help') || rest.includes('-h')) return runHelp([name], terminal);
  return command(rest, terminal);
}
