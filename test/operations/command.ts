// The command as a user runs it: in this process, or as the built program in a separate process for
// tests of signals, pipes or memory.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { after, before } from 'node:test';
import { type CommandEnd, performCommand } from '../perform-command.ts';
import { COMPILE_CACHE, ensureBuilt, MAIN } from '../program.ts';

export type Finished = CommandEnd;

export interface RunOptions {
  /** The standard input. */
  readonly input?: Iterable<string> | AsyncIterable<string>;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface ProcessOptions extends RunOptions {
  /** The program, instead of the one built here. */
  readonly main?: string;
  /** Flags for Node itself. */
  readonly node?: readonly string[];
}

export interface RunningServer {
  readonly url: string;
  /** Stops it and waits for its end. */
  stop(): Promise<Finished>;
}

export interface RunningProcess extends RunningServer {
  readonly child: ChildProcess;
}

/** A directory for one test file, and the services started in it. */
export class CommandSandbox {
  directory = '';
  readonly #processes: Set<ChildProcess> = new Set();
  readonly #servers: Set<RunningServer> = new Set();

  /** `prepare` runs when the directory exists; hooks of a file do not wait for each other. */
  static open(
    prepare: (sandbox: CommandSandbox) => Promise<void> = async () => undefined,
  ): CommandSandbox {
    const sandbox = new CommandSandbox();
    before(async () => {
      ensureBuilt();
      sandbox.directory = await mkdtemp(join(tmpdir(), 'gridkeep-operations-'));
      await prepare(sandbox);
    });
    after(async () => {
      for (const child of sandbox.#processes) child.kill('SIGKILL');
      for (const server of sandbox.#servers) await server.stop();
      await rm(sandbox.directory, { recursive: true });
    });
    return sandbox;
  }

  path(...names: readonly string[]): string {
    return join(this.directory, ...names);
  }

  /** Runs a command to its end, in this process. */
  run(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
    return performCommand(args, { ...options, directory: this.directory }).finished;
  }

  /** Runs a command to its end, as a process. */
  runProcess(args: readonly string[], options: ProcessOptions = {}): Promise<Finished> {
    return this.#launch(args, options).finished;
  }

  /** A service in this process. */
  async start(args: readonly string[], options: RunOptions = {}): Promise<RunningServer> {
    const flags = ['start', '--port', '0', '--http-drain-linger-ms', '0', ...args];
    const { finished, firstLine, signal } = performCommand(flags, {
      ...options,
      directory: this.directory,
    });
    const server = {
      url: addressIn(await firstLine),
      stop: () => {
        this.#servers.delete(server);
        signal('SIGTERM');
        return finished;
      },
    };
    this.#servers.add(server);
    return server;
  }

  /** A service as a process, for tests of signals and processes. */
  async startProcess(
    args: readonly string[],
    options: ProcessOptions = {},
  ): Promise<RunningProcess> {
    const { child, finished } = this.#launch(['start', '--port', '0', ...args], options);
    const lines = createInterface(child.stdout ?? Readable.from([]));
    const line = await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      void finished.then(({ err }) => reject(new Error(`it ended before it listened: ${err}`)));
    });
    return {
      url: addressIn(line),
      child,
      stop: () => {
        child.kill('SIGTERM');
        return finished;
      },
    };
  }

  #launch(
    args: readonly string[],
    options: ProcessOptions,
  ): { readonly child: ChildProcess; readonly finished: Promise<Finished> } {
    const child = spawn(
      process.execPath,
      [...(options.node ?? []), options.main ?? MAIN, ...args],
      {
        cwd: this.directory,
        env: { ...COMPILE_CACHE, PATH: process.env['PATH'] ?? '', ...options.environment },
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    this.#processes.add(child);
    // A command that ends early does not read all its input.
    child.stdin.on('error', () => undefined);
    Readable.from(options.input ?? []).pipe(child.stdin);
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    const finished = once(child, 'close').then(([code]: unknown[]) => {
      this.#processes.delete(child);
      return { code: typeof code === 'number' ? code : null, out, err };
    });
    return { child, finished };
  }
}

function addressIn(line: string): string {
  return line.replace('gridkeep listening on ', '');
}

/** Entries as lines in the format of the commands. */
export function toLines(entries: Readonly<Record<string, string>>): string {
  return Object.entries(entries)
    .map(([key, value]) => `{"key":${JSON.stringify(key)},"value":${value}}\n`)
    .join('');
}
