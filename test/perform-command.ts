// The command in this process, with a terminal of its own: the same code, output and exit code as
// that of a user, without the half second that a process takes to load.

import { EventEmitter } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../src/cli/cli.ts';

export interface CommandOptions {
  /** Config files and paths of flags are looked for here; a relative `--data` of `start` is not. */
  readonly directory: string;
  /** What is piped in. */
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
  /** The first line that it prints; rejected when it ends without one. */
  readonly firstLine: Promise<string>;
  /** Sends a signal, as to a process. */
  signal(name: NodeJS.Signals): void;
  /** What it has written on standard error. */
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
  const complain = (words: string): void => {
    err += words;
  };
  const ended = runCli(args, {
    print: (line) => {
      pipes.output.write(`${line}\n`);
      resolve(line);
    },
    complain: (line) => complain(`${line}\n`),
    draw: undefined,
    readSecret: async () => (await text(pipes.input)).split('\n')[0],
    log: { write: complain, on: () => undefined },
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
