// The process: passes the arguments to the command line and exits with its code.

import { runCli } from './cli.ts';
import { readSecret } from './read-secret.ts';
import { explainFailure } from './run-task.ts';
import { EXIT } from './terminal.ts';

export async function runCommand(): Promise<void> {
  // Without a listener, a closed or full standard output would end a running service.
  let failure: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error) => {
    failure ??= error;
  });
  const code = await runCli(process.argv.slice(2), {
    print: (text) => process.stdout.write(`${text}\n`),
    printError: (text) => process.stderr.write(`${text}\n`),
    draw: process.stderr.isTTY ? (text) => process.stderr.write(text) : undefined,
    readSecret: (prompt) => readSecret(process.stdin, process.stderr, prompt),
    log: process.stderr,
    events: process,
    workingDirectory: process.cwd(),
  });
  if (code !== EXIT.ok || process.argv[2] === 'start') process.exit(code);
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  // A reader that has gone, such as `head -1`, has all that it wanted.
  if (failure === undefined || failure.code === 'EPIPE') process.exit(code);
  process.stderr.write(`gridkeep: standard output: ${explainFailure(failure)}\n`);
  process.exit(EXIT.failed);
}
