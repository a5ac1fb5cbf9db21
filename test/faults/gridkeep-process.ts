// The built command in a separate process, as a user runs it, with its address, exit and output.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { COMPILE_CACHE, ensureBuilt, MAIN } from '../program.ts';

export interface ProcessOptions {
  /** The data directory; in memory when absent. */
  readonly data?: string;
  /** Address of a database to use instead. */
  readonly store?: string;
  readonly flags?: readonly string[];
  /** Contents of `gridkeep.yaml`. */
  readonly yaml?: string;
  /** Value of `testing.fault`. */
  readonly fault?: string;
  /** A command that executes the service, such as `strace -D`. */
  readonly under?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Finished {
  readonly code: number | null;
  readonly signal: string | null;
  /** Its standard error output. */
  readonly err: string;
}

export class GridkeepProcess implements AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  readonly finished: Promise<Finished>;
  readonly #launched: Launched;

  private constructor(launched: Launched, port: number) {
    this.#launched = launched;
    this.port = port;
    this.pid = launched.child.pid ?? 0;
    this.finished = launched.finished;
  }

  /** Settles when it listens; rejects with its output when it ends before that. */
  static async start(options: ProcessOptions = {}): Promise<GridkeepProcess> {
    const launched = launch(options);
    const line = await launched.firstLine;
    const port = Number(/:(\d+)$/.exec(line)?.[1]);
    return new GridkeepProcess(launched, port);
  }

  /** For starts that are expected to fail; one that succeeds is ended. */
  static async refuse(options: ProcessOptions): Promise<Finished> {
    const { child, finished, firstLine } = launch(options);
    firstLine.then(
      () => child.kill('SIGKILL'),
      () => undefined,
    );
    return finished;
  }

  get log(): string {
    return this.#launched.err();
  }

  /** Log lines as objects. */
  get logLines(): readonly Record<string, unknown>[] {
    return parseLogLines(this.log);
  }

  get hasEnded(): boolean {
    return this.#launched.child.exitCode !== null || this.#launched.child.signalCode !== null;
  }

  signal(signal: NodeJS.Signals): void {
    this.#launched.child.kill(signal);
  }

  async kill(): Promise<Finished> {
    this.signal('SIGKILL');
    return this.finished;
  }

  async stop(): Promise<Finished> {
    this.signal('SIGTERM');
    return this.finished;
  }

  /** Resident memory without mapped files, in bytes. */
  anonymousBytes(): number {
    const text = readFileSync(`/proc/${this.pid}/status`, 'latin1');
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(text)?.[1]) * 1024;
  }

  openFiles(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.hasEnded) await this.kill();
  }
}

interface Launched {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  readonly firstLine: Promise<string>;
  readonly err: () => string;
}

/** Flags of every start, unless `flags` has others. */
const USUAL_FLAGS = [
  ['--port', '0'],
  ['--log-requests', 'off'],
] as const;

/** The arguments of `gridkeep start` for these options. */
export function startArguments({ data, flags = [], store }: ProcessOptions): readonly string[] {
  const place =
    store !== undefined ? ['--store', store] : data === undefined ? ['--memory'] : ['--data', data];
  const usual = USUAL_FLAGS.filter(([name]) => !flags.includes(name)).flat();
  return ['start', ...usual, ...place, ...flags];
}

export function parseLogLines(log: string): readonly Record<string, unknown>[] {
  return log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

function launch(options: ProcessOptions): Launched {
  ensureBuilt();
  const cwd = mkdtempSync(join(tmpdir(), 'gridkeep-process-'));
  writeFileSync(join(cwd, 'gridkeep.yaml'), options.yaml ?? '');
  const command = [...(options.under ?? []), process.execPath, MAIN, ...startArguments(options)];
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_ENV: 'test',
      ...COMPILE_CACHE,
      ...(options.fault === undefined ? {} : { GRIDKEEP_TESTING_FAULT: options.fault }),
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // The process is killed however the test ends.
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  let err = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const finished = once(child, 'close').then(([code, signal]: unknown[]) => {
    process.off('exit', endWithUs);
    rmSync(cwd, { recursive: true, force: true });
    return {
      code: typeof code === 'number' ? code : null,
      signal: typeof signal === 'string' ? signal : null,
      err,
    };
  });
  const firstLine = new Promise<string>((resolve, reject) => {
    if (child.stdout !== null) createInterface(child.stdout).once('line', resolve);
    void finished.then(() => reject(new Error(`it ended before it listened: ${err}`)));
    child.once('error', reject);
  });
  firstLine.catch(() => undefined);
  return { child, finished, firstLine, err: () => err };
}
