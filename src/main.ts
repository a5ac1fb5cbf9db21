#!/usr/bin/env node
// The command `gridkeep`: hands the arguments to cli and ends with its code.

import { runCli } from './cli/cli.ts';
import { readSecret } from './cli/read-secret.ts';

process.exit(
  await runCli(process.argv.slice(2), {
    print: (text) => process.stdout.write(`${text}\n`),
    complain: (text) => process.stderr.write(`${text}\n`),
    draw: process.stderr.isTTY ? (text) => process.stderr.write(text) : undefined,
    readSecret: (prompt) => readSecret(process.stdin, process.stderr, prompt),
    log: process.stderr,
    events: process,
    workingDirectory: process.cwd(),
  }),
);
