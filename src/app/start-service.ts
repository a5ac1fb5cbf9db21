// Starts the service: safeguards → engine → grid → server, each from the configuration. The only
// file that combines all parts.

import { resolve } from 'node:path';
import type { LoadedConfig } from '../config/load-config.ts';
import { EngineError } from '../engine/errors.ts';
import type { TlsMaterial } from '../http/index.ts';
import type { Observe } from '../observe/observation.ts';
import type { FillProgress } from '../sample/fill-sample.ts';
import { declareGrid } from './declare-grid.ts';
import { storeUnusable } from './errors.ts';
import { loadSample } from './load-sample.ts';
import { type GridTarget, toGridTarget } from './local-grid.ts';
import { openEngine } from './open-engine.ts';
import type { LogStream } from './open-log.ts';
import { openSafeguards } from './open-safeguards.ts';
import { OpenService } from './open-service.ts';
import { isReloadable, type LoadAgain, reloadSafeguards } from './reload-safeguards.ts';
import { parseTestingFault } from './testing-fault.ts';
import { tuneV8 } from './tune-v8.ts';
import { readVersion } from './version.ts';
import { watchDirectory } from './watch-directory.ts';

export interface ServiceOptions {
  /** The target of log lines; absent: no log. */
  readonly logTo?: LogStream;
  /** Creates and fills the regions of the sample grid that do not exist, and completes an interrupted load. */
  readonly sample?: {
    readonly onProgress?: (progress: FillProgress) => void;
    /** Writes to the sample grid periodically, until the service stops. */
    readonly activity?: boolean;
  };
  /** Writes the data that must exist before the first request; a `StartError` ends the start. */
  readonly fill?: (target: GridTarget) => Promise<void>;
  /** Loads the configuration again, to reload the logins. */
  readonly loadAgain?: LoadAgain;
}

export interface RunningService {
  /** `http://host:port`, or `https://…`, as listened on. */
  readonly url: string;
  readonly observe: Observe;
  /**
   * With TLS or authentication: reloads certificate and logins. New ones that cannot be used are
   * reported, and the old ones stay as a whole.
   */
  readonly reload?: () => Promise<void>;
  /** Settles when the data directory is gone: stop then. Absent for a store elsewhere. */
  readonly storeLost?: Promise<void>;
  /**
   * Refuses new requests, finishes those in flight (for at most the drain
   * time), then closes server and store. Safe to call twice.
   */
  stop(reason: string): Promise<void>;
}

/** Settles when requests are being answered; throws `StartError` with everything closed again. */
export async function startService(
  { config, declarations, effective, warnings }: LoadedConfig,
  options: ServiceOptions = {},
): Promise<RunningService> {
  tuneV8();
  const safeguards = await openSafeguards(config, declarations.auth);
  const startedMs = performance.now();
  const version = await readVersion();
  const fault = parseTestingFault(config.testing.fault);
  const directory = resolve(config.store.directory);
  const notes: string[] = [];
  const openToOthers = [...warnings];
  const engine = await openEngine(
    { ...config, store: { ...config.store, directory } },
    {
      testing: fault.store,
      onNote: (note) => notes.push(note),
      onTightened: (note) => openToOthers.push(note),
    },
  );
  const service = new OpenService({ config, engine, fault, version, logTo: options.logTo });
  for (const note of openToOthers) service.observe({ kind: 'open-to-others', note });
  for (const note of notes) service.observe({ kind: 'store-recovered', note });
  try {
    const grid = await service.openGrid();
    await declareGrid(grid, declarations);
    // Before anything is loaded, so that a port in use is reported at once.
    await service.listen(grid, safeguards, JSON.stringify({ settings: effective }));
    if (options.sample !== undefined) {
      await loadSample(grid, service.observe, options.sample.onProgress ?? (() => undefined));
    }
    await options.fill?.(toGridTarget(grid));
    await service.open();
  } catch (error) {
    await service.close();
    throw error instanceof EngineError ? storeUnusable(error) : error;
  }
  const { observe } = service;
  const stopActivity = options.sample?.activity === true ? service.startActivity() : undefined;
  observe({
    kind: 'service-started',
    url: service.url,
    store: config.store.engine,
    ms: performance.now() - startedMs,
  });
  const watch = config.store.engine === 'sqlite' ? watchDirectory(directory) : undefined;
  const reportLoss = (): void => observe({ kind: 'store-lost', directory });
  const { loadAgain } = options;
  const replaceTls = (material: TlsMaterial): void => service.replaceTls(material);
  const reload = (): Promise<void> =>
    reloadSafeguards(safeguards, { config, loadAgain, replaceTls, observe });
  let stopping: Promise<void> | undefined;
  return {
    url: service.url,
    observe,
    ...(isReloadable(safeguards, loadAgain) ? { reload } : {}),
    ...(watch === undefined ? {} : { storeLost: watch.lost.then(reportLoss) }),
    stop: (reason) => {
      watch?.close();
      stopping ??= (stopActivity?.() ?? Promise.resolve()).then(() => service.drain(reason));
      return stopping;
    },
  };
}
