// Runs the command in this process with a fake terminal: the same code, output and exit code as in a
// separate process, without its half second of loading.

import { EventEmitter } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../src/cli/cli.ts';

export interface CommandOptions {
  /** Directory for config files and paths of flags, but not for a relative `--data` of `start`. */
  readonly directory: string;
  /** The standard input. */
  readonly input?: Iterable<string> | AsyncIterable<string>;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface CommandEnd {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface PerformedCommand {
  readonly finished: Promise<CommandEnd>;
  /** The first printed line; rejected when it ends without one. */
  readonly firstLine: Promise<string>;
  /** Sends a signal, like to a process. */
  signal(name: NodeJS.Signals): void;
  /** Its standard error output so far. */
  err(): string;
}

export function performCommand(
  args: readonly string[],
  { directory, environment = {}, input = [] }: CommandOptions,
): PerformedCommand {
  const events = new EventEmitter();
  const pipes = { input: Readable.from(toBytes(input)), output: new PassThrough() };
  const out = text(pipes.output);
  const { promise: firstLine, reject, resolve } = Promise.withResolvers<string>();
  firstLine.catch(() => undefined);
  let err = '';
  const writeError = (words: string): void => {
    err += words;
  };
  const ended = runCli(args, {
    print: (line) => {
      pipes.output.write(`${line}\n`);
      resolve(line);
    },
    printError: (line) => writeError(`${line}\n`),
    draw: undefined,
    readSecret: async () => (await text(pipes.input)).split('\n')[0],
    log: { write: writeError, on: () => undefined },
    events,
    workingDirectory: directory,
    environment,
    pipes,
  });
  const finished = ended.then(async (code) => {
    pipes.output.end();
    reject(new Error(`it ended before it printed anything: ${err}`));
    return { code, out: await out, err };
  });
  return { finished, firstLine, signal: (name) => events.emit(name), err: () => err };
}

async function* toBytes(
  input: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const piece of input) yield Buffer.from(piece);
}
