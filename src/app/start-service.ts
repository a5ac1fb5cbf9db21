// The one place where the parts meet: config → engine → grid → server, and back
// in reverse order when the service stops.

import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import type { ConfigOutcome, LoadedConfig } from '../config/load-config.ts';
import type { Engine } from '../engine/engine.ts';
import { Grid } from '../grid/index.ts';
import { startServer } from '../http/server.ts';
import type { RunningServer, ServerOptions } from '../http/server-options.ts';
import { type Observe, observeAll } from '../observe/observation.ts';
import { createProgramMetrics, type ProgramMetrics } from '../observe/program-metrics.ts';
import type { FillProgress } from '../sample/fill-sample.ts';
import { declareGrid } from './declare-grid.ts';
import { drainServer } from './drain-server.ts';
import {
  addressInUse,
  addressUnusable,
  authRefused,
  insecureAddress,
  StartError,
} from './errors.ts';
import { isLoopback, printUrl } from './listen-address.ts';
import { loadSample } from './load-sample.ts';
import { LoopRounds } from './loop-rounds.ts';
import { createMemoryWatch } from './memory-watch.ts';
import { createNewKey } from './new-key.ts';
import { openEngine } from './open-engine.ts';
import { type LogStream, openLog } from './open-log.ts';
import { checkOrigins, openAuthenticator, readTls, replaceLogins } from './open-security.ts';
import { toGridLimits, toRequestLimits, toServerLimits } from './service-limits.ts';
import { parseTestingFault, type TestingFault } from './testing-fault.ts';
import { readVersion } from './version.ts';
import { watchDirectory } from './watch-directory.ts';

export interface ServiceOptions {
  /** Where log lines go; none are written without it. */
  readonly logTo?: LogStream;
  /** Creates and fills the regions of the sample grid that do not exist, and completes an interrupted load. */
  readonly sample?: { readonly onProgress?: (progress: FillProgress) => void };
  /** Loads the configuration again, for a reload of those who may log in. */
  readonly loadAgain?: () => Promise<ConfigOutcome>;
}

export interface RunningService {
  /** `http://host:port`, or `https://…`, as listened on. */
  readonly url: string;
  readonly observe: Observe;
  /**
   * With TLS or authentication: reads the certificate anew, and who may log in.
   * What cannot be used is reported, and the old stays, whole.
   */
  readonly reload?: () => Promise<void>;
  /** Settles when the data directory is gone: stop then. Absent for a store in memory. */
  readonly storeLost?: Promise<void>;
  /**
   * Refuses new requests, finishes those in flight (for at most the drain
   * time), then closes server and store. Safe to call twice.
   */
  stop(reason: string): Promise<void>;
}

/** Settles when requests are being answered; throws `StartError` with everything closed again. */
export async function startService(
  { config, declarations, effective }: LoadedConfig,
  options: ServiceOptions = {},
): Promise<RunningService> {
  const { host, insecure } = config.http;
  if (!insecure && !isLoopback(host) && declarations.auth === undefined) {
    throw insecureAddress(host);
  }
  checkOrigins(config.http.corsOrigins);
  const door = {
    authenticator: await openAuthenticator(declarations.auth),
    tls: await readTls(config),
  };
  const startedMs = performance.now();
  const version = await readVersion();
  const fault = parseTestingFault(config.testing.fault);
  const directory = resolve(config.store.directory);
  const engine = await openEngine(
    { ...config, store: { ...config.store, directory } },
    fault.store,
  );
  const parts = new Parts({ config, engine, fault, version, logTo: options.logTo });
  try {
    const grid = await parts.openGrid();
    await declareGrid(grid, declarations);
    if (options.sample !== undefined) {
      await loadSample(grid, parts.observe, options.sample.onProgress ?? (() => undefined));
    }
    await parts.listen(grid, door, JSON.stringify({ settings: effective }));
  } catch (error) {
    await parts.close();
    throw error;
  }
  parts.observe({
    kind: 'service-started',
    url: parts.url,
    store: config.store.engine,
    ms: performance.now() - startedMs,
  });
  const watch = config.store.engine === 'memory' ? undefined : watchDirectory(directory);
  const reportLoss = (): void => parts.observe({ kind: 'store-lost', directory });
  const { loadAgain } = options;
  const isReloadable =
    door.tls !== undefined || (door.authenticator !== undefined && loadAgain !== undefined);
  let stopping: Promise<void> | undefined;
  return {
    url: parts.url,
    observe: parts.observe,
    ...(isReloadable ? { reload: () => parts.reload(door, loadAgain) } : {}),
    ...(watch === undefined ? {} : { storeLost: watch.lost.then(reportLoss) }),
    stop: (reason) => {
      watch?.close();
      stopping ??= parts.drain(reason);
      return stopping;
    },
  };
}

interface Foundation {
  readonly config: Config;
  readonly engine: Engine;
  readonly fault: TestingFault;
  readonly version: string;
  readonly logTo: LogStream | undefined;
}

/** What guards the server; each is absent where the settings ask for none. */
type Door = Pick<ServerOptions, 'authenticator' | 'tls'>;

/** What is open, so that it can be closed in reverse order, however far the start came. */
class Parts {
  readonly observe: Observe;
  url = '';

  readonly #config: Config;
  readonly #engine: Engine;
  readonly #fault: TestingFault;
  readonly #metrics: ProgramMetrics;
  readonly #flushLog: () => void;
  readonly #rounds = new LoopRounds();
  #server: RunningServer | undefined;
  #grid: Grid | undefined;

  constructor({ config, engine, fault, logTo, version }: Foundation) {
    this.#config = config;
    this.#engine = engine;
    this.#fault = fault;
    const log = logTo === undefined ? undefined : openLog(config, logTo);
    this.#flushLog = () => log?.flush();
    this.#metrics = createProgramMetrics({
      version,
      inFlightRequests: () => this.#server?.requestsInFlight ?? 0,
      runningQueries: () => this.#grid?.listRunningQueries().length ?? 0,
      regions: () => engine.describeRegions(),
      store: () => engine.stats(),
    });
    this.observe = observeAll([this.#metrics.observe, ...(log === undefined ? [] : [log.observe])]);
  }

  async openGrid(): Promise<Grid> {
    const { http, query } = this.#config;
    this.#grid = await Grid.open({
      engine: this.#engine,
      limits: toGridLimits(this.#config),
      observe: this.observe,
      servers: () => (http.advertise.length === 0 ? [this.url] : http.advertise),
      now: () => performance.now(),
      pause: () => this.#rounds.pause(),
      isMemoryLow: createMemoryWatch(query.criticalHeapPercentage),
    });
    return this.#grid;
  }

  async listen(grid: Grid, door: Door, configJson: string): Promise<void> {
    const { errors, http } = this.#config;
    try {
      this.#server = await startServer({
        host: http.host,
        port: http.port,
        ...door,
        allowedHosts: http.allowedHosts,
        advertised: http.advertise,
        corsOrigins: http.corsOrigins,
        api: {
          grid,
          limits: toRequestLimits(this.#config),
          newKey: this.#createNewKey(),
          printMetrics: () => this.#metrics.print(),
          printConfig: () => configJson,
        },
        limits: toServerLimits(this.#config),
        trace: errors.trace,
        observe: this.observe,
        now: () => performance.now(),
        pause: () => this.#rounds.pause(),
      });
    } catch (error) {
      throw explainListenFailure(http.host, http.port, error);
    }
    this.url = printUrl(this.#server.scheme, http.host, this.#server.port);
  }

  async reload(
    { authenticator, tls }: Door,
    loadAgain: ServiceOptions['loadAgain'],
  ): Promise<void> {
    if (tls !== undefined) await this.#reloadCertificate();
    if (authenticator === undefined || loadAgain === undefined) return;
    try {
      const loaded = await loadAgain();
      if (loaded.kind === 'refused') throw authRefused(loaded.problems);
      await replaceLogins(authenticator, loaded.declarations.auth);
      this.observe({ kind: 'logins-replaced' });
    } catch (error) {
      this.observe({ kind: 'logins-refused', reason: reasonOf(error) });
    }
  }

  async #reloadCertificate(): Promise<void> {
    try {
      const material = await readTls(this.#config);
      if (material !== undefined) this.#server?.replaceTls(material);
      this.observe({ kind: 'certificate-replaced' });
    } catch (error) {
      this.observe({ kind: 'certificate-refused', reason: reasonOf(error) });
    }
  }

  #createNewKey(): () => string {
    const newKey = createNewKey(Date.now);
    return () => {
      this.#fault.pass('handler-throws');
      this.#fault.pass('unhandled-rejection');
      return newKey();
    };
  }

  async drain(reason: string): Promise<void> {
    const { drainLingerMs: lingerMs, drainTimeoutMs: timeoutMs } = this.#config.http;
    const startedMs = performance.now();
    this.observe({ kind: 'service-stopping', reason });
    this.#fault.pass('mid-drain');
    const unfinishedRequests =
      this.#server === undefined ? 0 : await drainServer(this.#server, { lingerMs, timeoutMs });
    this.#fault.pass('mid-drain');
    await this.close();
    this.observe({
      kind: 'service-stopped',
      ms: performance.now() - startedMs,
      unfinishedRequests,
    });
    this.#flushLog();
  }

  async close(): Promise<void> {
    await this.#server?.close();
    this.#grid?.close();
    this.#rounds[Symbol.dispose]();
    await this.#engine.close();
    this.#metrics.close();
    this.#flushLog();
  }
}

/** Our own words name files and settings, never what stands in them; others' may quote anything. */
function reasonOf(error: unknown): string {
  if (error instanceof StartError) return error.message;
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

function explainListenFailure(host: string, port: number, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === undefined) return error;
  if (code === 'EADDRINUSE') return addressInUse(host, port, error);
  return addressUnusable(host, port, code, error);
}
