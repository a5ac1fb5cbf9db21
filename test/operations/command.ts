// The built command as a process of its own, run as a user runs it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { after, before } from 'node:test';
import { COMPILE_CACHE, ensureBuilt, MAIN } from '../program.ts';

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  /** What is piped in. */
  readonly input?: Iterable<string> | AsyncIterable<string>;
  readonly environment?: Readonly<Record<string, string>>;
  /** The program, instead of the one built here. */
  readonly main?: string;
  /** Flags for Node itself. */
  readonly node?: readonly string[];
}

export interface RunningServer {
  readonly url: string;
  readonly child: ChildProcess;
  /** Asks it to stop and waits until it has. */
  stop(): Promise<Finished>;
}

/** A place for one test file: a directory, and the processes started in it. */
export class Workshop {
  directory = '';
  readonly #running: Set<ChildProcess> = new Set();

  /** `prepare` runs once the directory is there; hooks of a file do not wait for each other. */
  static open(prepare: (workshop: Workshop) => Promise<void> = async () => undefined): Workshop {
    const workshop = new Workshop();
    before(async () => {
      ensureBuilt();
      workshop.directory = await mkdtemp(join(tmpdir(), 'gridkeep-operations-'));
      await prepare(workshop);
    });
    after(async () => {
      for (const child of workshop.#running) child.kill('SIGKILL');
      await rm(workshop.directory, { recursive: true });
    });
    return workshop;
  }

  path(...names: readonly string[]): string {
    return join(this.directory, ...names);
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
    return this.#launch(args, options).finished;
  }

  async start(args: readonly string[], options: RunOptions = {}): Promise<RunningServer> {
    const { child, finished } = this.#launch(['start', '--port', '0', ...args], options);
    const lines = createInterface(child.stdout ?? Readable.from([]));
    const line = await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      void finished.then(({ err }) => reject(new Error(`it ended before it listened: ${err}`)));
    });
    return {
      url: line.replace('gridkeep listening on ', ''),
      child,
      stop: () => {
        child.kill('SIGTERM');
        return finished;
      },
    };
  }

  #launch(
    args: readonly string[],
    options: RunOptions,
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
    this.#running.add(child);
    // A command that ends early does not read all it is given.
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
      this.#running.delete(child);
      return { code: typeof code === 'number' ? code : null, out, err };
    });
    return { child, finished };
  }
}

/** Lines as the commands write them. */
export function toLines(entries: Readonly<Record<string, string>>): string {
  return Object.entries(entries)
    .map(([key, value]) => `{"key":${JSON.stringify(key)},"value":${value}}\n`)
    .join('');
}
