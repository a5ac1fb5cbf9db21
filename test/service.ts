// A whole service in this process on its own port, for tests over HTTP. Engine, grid and server are
// assembled like in `app`, with every limit adjustable.

import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { defaultLimits } from '../src/app/testing/default-limits.ts';
import type { Engine } from '../src/engine/engine.ts';
import { toTexts } from '../src/engine/joined-texts.ts';
import { MemoryEngine } from '../src/engine/memory/memory-engine.ts';
import { openPostgresEngine } from '../src/engine/postgres/postgres-engine.ts';
import { openSqliteEngine } from '../src/engine/sqlite/sqlite-engine.ts';
import { createFailingEngine, type FailurePlan } from '../src/engine/testing/failing-engine.ts';
import { PostgresServer } from '../src/engine/testing/postgres-server.ts';
import { Grid, type GridLimits, type NewRegion } from '../src/grid/index.ts';
import type { RequestLimits } from '../src/http/handlers/handler.ts';
import { startServer } from '../src/http/server.ts';
import type { RunningServer, ServerLimits, ServerOptions } from '../src/http/server-options.ts';
import type { ErrorTrace, Observation } from '../src/observe/observation.ts';
import { type Answer, type RequestOptions, sendRequest } from './http-client.ts';

export type EngineKind = 'memory' | 'sqlite' | 'postgres';

/** `TEST_ENGINES=postgres` runs the suites on another engine; `npm test` uses SQLite. */
export const ENGINES: readonly EngineKind[] = (process.env['TEST_ENGINES'] ?? 'memory,sqlite')
  .split(',')
  .filter((name) => name === 'memory' || name === 'sqlite' || name === 'postgres');

export const API = '/grid-api/v1';
export const ADMIN = '/grid-admin/v1';

const SERVERS = ['http://127.0.0.1:7070', 'http://127.0.0.2:7070'];

export interface ServiceSettings {
  readonly engine?: EngineKind;
  readonly grid?: Partial<GridLimits>;
  readonly requests?: Partial<RequestLimits>;
  readonly server?: Partial<ServerLimits>;
  readonly trace?: ErrorTrace;
  readonly isMemoryLow?: () => boolean;
  /** The monotonic clock of queries, in milliseconds. */
  readonly now?: () => number;
  /** What the grid does at a yield point, instead of letting other callbacks run. */
  readonly pause?: () => Promise<void>;
  /** The wall clock of the grid, in milliseconds since 1970. */
  readonly wallClock?: () => number;
  /** Options of the HTTP server, such as logins, TLS, hosts and origins. Without them no login is needed. */
  readonly http?: Pick<
    ServerOptions,
    | 'authenticator'
    | 'tls'
    | 'allowedHosts'
    | 'advertised'
    | 'corsOrigins'
    | 'dialects'
    | 'unknownParameters'
    | 'publicUrl'
    | 'trustedProxies'
    | 'compression'
    | 'reading'
    | 'wallClock'
  >;
  /** Addresses of the server list. */
  readonly servers?: () => readonly string[];
  /** Makes calls to the engine fail. */
  readonly failures?: FailurePlan;
  /** Wraps the engine. */
  readonly wrapEngine?: (engine: Engine) => Engine;
}

/** Values by key, as JSON text. */
export type Entries = Readonly<Record<string, string>>;

export class Service implements AsyncDisposable {
  readonly observations: Observation[] = [];
  engine: Engine;
  grid: Grid;
  server: RunningServer;
  readonly #settings: ServiceSettings;
  readonly #place: StorePlace;
  readonly #agent: Agent = new Agent({ keepAlive: true, maxSockets: 64 });
  #regions = 0;

  static async start(settings: ServiceSettings = {}): Promise<Service> {
    const place = await newStore(settings.engine);
    const opened = await openEngine(place);
    const wrapped = settings.wrapEngine?.(opened) ?? opened;
    const engine = settings.failures ? createFailingEngine(wrapped, settings.failures) : wrapped;
    const observations: Observation[] = [];
    await opened.announce(SERVERS);
    const grid = await openGrid(engine, settings, observations);
    const server = await listen(grid, settings, observations);
    return new Service(settings, place, { engine, grid, server, observations });
  }

  private constructor(
    settings: ServiceSettings,
    place: StorePlace,
    parts: Pick<Service, 'engine' | 'grid' | 'server' | 'observations'>,
  ) {
    this.#settings = settings;
    this.#place = place;
    this.engine = parts.engine;
    this.grid = parts.grid;
    this.server = parts.server;
    this.observations = parts.observations;
  }

  get port(): number {
    return this.server.port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The address under which the data plane is reached. */
  get api(): string {
    return this.origin + API;
  }

  /** Sends the path exactly as given, relative to `{api}`. */
  send(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.sendTo(method, API + path, options);
  }

  /** Sends the path exactly as given. */
  sendTo(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return sendRequest({ port: this.port, agent: this.#agent, method, path, ...options });
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send('GET', path, { headers });
  }

  /** Creates a region with a unique name and these entries. */
  async region(entries: Entries = {}, definition: Omit<NewRegion, 'name'> = {}): Promise<string> {
    this.#regions += 1;
    const name = `region-${this.#regions}`;
    await this.grid.createRegion({ name, ...definition });
    await this.put(name, entries);
    return name;
  }

  async put(region: string, entries: Entries): Promise<void> {
    const list = Object.entries(entries).map(([key, value]) => ({ key, value }));
    if (list.length > 0) await (await this.grid.region(region)).put(list, []);
  }

  /** All entries as they are stored. */
  async stored(region: string): Promise<Entries> {
    const snapshot = await this.engine.openSnapshot();
    try {
      const entries: Record<string, string> = {};
      for await (const batch of snapshot.scan(region, {}, 'entries')) {
        for (const [key, value] of toTexts(batch)) entries[key] = value;
      }
      return entries;
    } finally {
      snapshot.close();
    }
  }

  /** Stops everything and starts it again on the same store. */
  async restart(): Promise<void> {
    await this.server.close();
    this.grid.close();
    await this.engine.close();
    this.engine = await openEngine(this.#place);
    this.grid = await openGrid(this.engine, this.#settings, this.observations);
    this.server = await listen(this.grid, this.#settings, this.observations);
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.server.close();
    this.grid.close();
    await this.engine.close();
    const { directory } = this.#place;
    if (directory !== undefined) await rm(directory, { recursive: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/**
 * Declares a suite for every engine. The tests of the suite share the service, and use separate regions.
 */
export function onEveryEngine(
  title: string,
  declare: (service: () => Service, engine: EngineKind) => void,
  settings: ServiceSettings = {},
): void {
  for (const engine of ENGINES) {
    describe(`${title} (${engine})`, () => {
      let service: Service;
      before(async () => {
        service = await Service.start({ ...settings, engine });
      });
      after(() => service.stop());
      declare(() => service, engine);
    });
  }
}

/** `count` entries `k00000`, `k00001`, … with values of about `bytes` each. */
export function manyEntries(count: number, bytes = 40): Entries {
  const padding = 'x'.repeat(Math.max(0, bytes - 20));
  const entries: Record<string, string> = {};
  for (let i = 0; i < count; i += 1) {
    entries[`k${String(i).padStart(5, '0')}`] = `{"i":${i},"pad":"${padding}"}`;
  }
  return entries;
}

/** Location of a store; in memory when neither is given. */
interface StorePlace {
  readonly directory?: string;
  readonly url?: string;
}

async function newStore(engine: EngineKind | undefined): Promise<StorePlace> {
  if (engine === 'sqlite') return { directory: await mkdtemp(join(tmpdir(), 'gridkeep-test-')) };
  return engine === 'postgres' ? { url: await newPostgresStore() } : {};
}

async function openEngine({ directory, url }: StorePlace): Promise<Engine> {
  if (url !== undefined) return openPostgresEngine({ url });
  if (directory === undefined) return new MemoryEngine();
  return openSqliteEngine({ directory, durability: 'relaxed' });
}

let postgres: Promise<PostgresServer> | undefined;
let stores = 0;

/** Address of an empty store on a database server that all tests of a file share. */
async function newPostgresStore(): Promise<string> {
  postgres ??= PostgresServer.start();
  stores += 1;
  return (await postgres).url(`store_${stores}`);
}

after(async () => {
  await (await postgres)?.[Symbol.asyncDispose]();
});

async function openGrid(
  engine: Engine,
  settings: ServiceSettings,
  observations: Observation[],
): Promise<Grid> {
  const grid = await Grid.open({
    engine,
    limits: { ...defaultLimits, ...settings.grid },
    observe: (observation) => observations.push(observation),
    servers: settings.servers ?? (() => SERVERS),
    now: settings.now ?? (() => performance.now()),
    wallClock: settings.wallClock ?? Date.now,
    pause: settings.pause ?? (() => new Promise((resolve) => setImmediate(resolve))),
    isMemoryLow: settings.isMemoryLow ?? (() => false),
  });
  await grid.expiry.start();
  return grid;
}

async function listen(
  grid: Grid,
  settings: ServiceSettings,
  observations: Observation[],
): Promise<RunningServer> {
  let keys = 0;
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    // Hand-written requests name any host; test/security tests the check itself.
    allowedHosts: ['*'],
    ...settings.http,
    trace: settings.trace ?? 'safe',
    observe: (observation) => observations.push(observation),
    now: () => performance.now(),
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    atRoundEnd: (callback) => void setImmediate(callback),
    api: {
      grid,
      limits: {
        maxBodyBytes: 8 * 1024 * 1024,
        maxJsonDepth: 200,
        maxKeysPerRequest: 1000,
        maxUnpackedBytes: 2 ** 34,
        maxAtomicItems: 10_000,
        ...settings.requests,
      },
      newKey: () => {
        keys += 1;
        return `new-${keys}`;
      },
      printMetrics: async () => '# metrics\n',
      printConfig: () => '{"settings":[]}',
    },
    limits: {
      headersTimeoutMs: 10_000,
      requestTimeoutMs: 60_000,
      timeoutCheckMs: 1_000,
      keepAliveTimeoutMs: 5_000,
      idleSocketMs: 60_000,
      stalledClientMs: 30_000,
      minAnswerBytesPerSecond: 2048,
      maxAnswerMs: 0,
      maxStreams: 2048,
      maxStreamsPerClient: 1024,
      maxOpenStreams: 2000,
      maxOpenStreamsPerLogin: 500,
      maxConnections: 4096,
      maxRequestsInFlight: 256,
      maxBodyBytesInFlight: 256 * 1024 * 1024,
      maxHeaderBytes: 32 * 1024,
      maxHeaders: 100,
      maxUrlBytes: 32 * 1024,
      ...settings.server,
    },
  });
  server.open();
  return server;
}
