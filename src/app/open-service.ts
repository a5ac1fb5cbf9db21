// The open parts of the service, from the store up: opened in order, and closed in reverse order,
// also after a partial start.

import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import type { Engine } from '../engine/engine.ts';
import { Grid, isRecordsRegion, type RegionDescription } from '../grid/index.ts';
import { type RunningServer, startServer, type TlsMaterial } from '../http/index.ts';
import { type Observe, observeAll } from '../observe/observation.ts';
import { createProgramMetrics, type ProgramMetrics } from '../observe/program-metrics.ts';
import { startActivity } from '../sample/activity.ts';
import { createRandom } from '../sample/random.ts';
import { drainServer } from './drain-server.ts';
import { addressInUse, addressUnusable } from './errors.ts';
import { bareHost, printUrl } from './listen-address.ts';
import { LoopRounds } from './loop-rounds.ts';
import { createMemoryWatch } from './memory-watch.ts';
import { createNewKey } from './new-key.ts';
import { type LogStream, openLog } from './open-log.ts';
import type { Safeguards } from './open-safeguards.ts';
import { RegionWrites } from './region-writes.ts';
import { toGridLimits, toRequestLimits, toServerLimits } from './service-limits.ts';
import type { TestingFault } from './testing-fault.ts';

export interface OpenServiceOptions {
  readonly config: Config;
  readonly engine: Engine;
  readonly fault: TestingFault;
  readonly version: string;
  readonly logTo: LogStream | undefined;
}

/** Interval of sweeps for expired answers of requests with idempotency keys. */
const ANSWER_SWEEP_MS = 10_000;

export class OpenService {
  readonly observe: Observe;
  url = '';

  readonly #config: Config;
  readonly #engine: Engine;
  readonly #fault: TestingFault;
  readonly #metrics: ProgramMetrics;
  readonly #flushLog: () => void;
  readonly #rounds = new LoopRounds();
  readonly #regionWrites: RegionWrites;
  #server: RunningServer | undefined;
  #grid: Grid | undefined;
  #answerSweep: NodeJS.Timeout | undefined;

  constructor({ config, engine, fault, logTo, version }: OpenServiceOptions) {
    this.#config = config;
    this.#engine = engine;
    this.#fault = fault;
    this.#regionWrites = new RegionWrites(engine);
    const log = logTo === undefined ? undefined : openLog(config, logTo);
    this.#flushLog = () => log?.flush();
    this.#metrics = createProgramMetrics({
      version,
      inFlightRequests: () => this.#server?.requestsInFlight ?? 0,
      waitingRequests: () => this.#server?.requestsWaiting ?? 0,
      streams: () => this.#server?.activeStreams ?? 0,
      openStreams: () => this.#server?.openStreams ?? [],
      runningQueries: () => this.#grid?.countQueries('running') ?? 0,
      waitingQueries: () => this.#grid?.countQueries('waiting') ?? 0,
      liveQueries: () => this.#grid?.liveFigures(),
      server: () => this.#addresses()[0] ?? '',
      // An unreachable store must not hide the other figures.
      regions: () => engine.describeRegions().then(withoutRecords, () => []),
      regionWrites: () => this.#regionWrites.list(),
      store: () => engine.stats(),
      health: () => engine.health(),
    });
    this.observe = observeAll([this.#metrics.observe, ...(log === undefined ? [] : [log.observe])]);
  }

  async openGrid(): Promise<Grid> {
    const { query } = this.#config;
    this.#grid = await Grid.open({
      engine: this.#engine,
      limits: toGridLimits(this.#config),
      observe: this.observe,
      servers: () => this.#addresses(),
      now: () => performance.now(),
      wallClock: Date.now,
      pause: () => this.#rounds.pause(),
      delay: (ms) => delay(ms, undefined, { ref: false }),
      busyMs: () => performance.eventLoopUtilization().active,
      isMemoryLow: createMemoryWatch(query.criticalHeapPercentage),
    });
    return this.#grid;
  }

  /** Takes the port; requests are refused until `open`. */
  async listen(grid: Grid, safeguards: Safeguards, configJson: string): Promise<void> {
    const { errors, http } = this.#config;
    const host = bareHost(http.host);
    try {
      this.#server = await startServer({
        host,
        port: http.port,
        ...safeguards,
        allowedHosts: http.allowedHosts,
        advertised: http.advertise,
        corsOrigins: http.corsOrigins,
        reading: http.directReader ? 'direct' : 'node',
        unknownParameters: http.unknownParameters,
        publicUrl: http.publicUrl,
        trustedProxies: http.trustedProxies,
        compression: http.compression ? 'on' : 'off',
        dialects: http.dialects,
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
        atRoundEnd: (callback) => this.#rounds.atEnd(callback),
      });
    } catch (error) {
      throw explainListenFailure(host, http.port, error);
    }
    this.url = printUrl(this.#server.scheme, host, this.#server.port);
  }

  /** From now on requests are served. */
  async open(): Promise<void> {
    // Entries that expired while no server ran are removed before anyone can read them.
    await this.#grid?.expiry.start();
    // Writes maintain such an index already; requests report a failing store.
    void this.#grid?.unique.resume().catch(() => undefined);
    this.#server?.open();
    this.#answerSweep = setInterval(() => void this.#sweepAnswers(), ANSWER_SWEEP_MS).unref();
    await this.#engine.announce(this.#addresses());
  }

  /** One batch; continues as long as it finds expired answers. A failure is retried later. */
  async #sweepAnswers(): Promise<void> {
    const swept = await this.#grid?.storedAnswers.sweep().catch(() => undefined);
    if ((swept?.removed ?? 0) > 0 && swept?.isRoundComplete === false)
      setImmediate(() => void this.#sweepAnswers());
  }

  #addresses(): readonly string[] {
    const { advertise } = this.#config.http;
    return advertise.length === 0 ? [this.url] : advertise;
  }

  /** Writes to the sample grid periodically; returns a function that stops it. */
  startActivity(): (() => Promise<void>) | undefined {
    if (this.#grid === undefined) return undefined;
    return startActivity({
      grid: this.#grid,
      random: createRandom(Date.now()),
      wallClock: Date.now,
      // The sample stops changing, which is harmless: requests report a failing store.
      onFailure: () => undefined,
    });
  }

  /** New connections get this certificate; throws, and keeps the old, when it is unusable. */
  replaceTls(material: TlsMaterial): void {
    this.#server?.replaceTls(material);
  }

  /** Drains requests, then closes. */
  async drain(reason: string): Promise<void> {
    const { drainLingerMs: lingerMs, drainTimeoutMs: timeoutMs } = this.#config.http;
    const startedMs = performance.now();
    this.observe({ kind: 'service-stopping', reason });
    this.#fault.pass('mid-drain');
    // Other servers of the store no longer list this one; an unreachable store is ignored.
    void this.#engine.announce([]).catch(() => undefined);
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

  /** Disconnects remaining clients. */
  async close(): Promise<void> {
    clearInterval(this.#answerSweep);
    await this.#server?.close();
    await this.#grid?.expiry.close();
    this.#grid?.close();
    this.#regionWrites.close();
    this.#rounds[Symbol.dispose]();
    await this.#engine.close();
    this.#metrics.close();
    this.#flushLog();
  }

  #createNewKey(): () => string {
    const newKey = createNewKey(Date.now);
    return () => {
      this.#fault.pass('handler-throws');
      this.#fault.pass('unhandled-rejection');
      return newKey();
    };
  }
}

function withoutRecords(regions: readonly RegionDescription[]): readonly RegionDescription[] {
  return regions.filter(({ name }) => !isRecordsRegion(name));
}

function explainListenFailure(host: string, port: number, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === undefined) return error;
  if (code === 'EADDRINUSE') return addressInUse(host, port, error);
  return addressUnusable(host, port, code, error);
}
