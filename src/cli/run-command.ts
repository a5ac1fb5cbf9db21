// The process: passes the arguments to the command line and exits with its code.

import { runCli } from './cli.ts';
import { readSecret } from './read-secret.ts';

export async function runCommand(): Promise<void> {
  const code = await runCli(process.argv.slice(2), {
    print: (text) => process.stdout.write(`${text}\n`),
    printError: (text) => process.stderr.write(`${text}\n`),
    draw: process.stderr.isTTY ? (text) => process.stderr.write(text) : undefined,
    readSecret: (prompt) => readSecret(process.stdin, process.stderr, prompt),
    log: process.stderr,
    events: process,
    workingDirectory: process.cwd(),
  });
  process.exit(code);
}
