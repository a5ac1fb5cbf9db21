// Shared by the parts of a run: its sizes and its processes.

import { LoadProcess } from '../shared/load-process.ts';
import { endProgress, showStep } from '../shared/progress.ts';
import type { Job, JobResult } from './load-client.ts';
import { type Service, startService } from './service-process.ts';
import { openDuckDb, openSqlite, type Store, sqliteStore } from './stores.ts';

export interface Settings {
  readonly rows: number;
  /** Measured rounds of each comparison. */
  readonly rounds: number;
  /** Length of a round of load. */
  readonly roundMs: number;
  readonly warmUpMs: number;
  /** Duration of the latency measurement beside each query. */
  readonly watchMs: number;
}

export class BenchRun {
  readonly settings: Settings;
  readonly service: Service;
  readonly client: LoadProcess<Job, JobResult> = new LoadProcess(
    new URL('./load-client.ts', import.meta.url),
  );
  #stores: Promise<Stores> | undefined;

  static async open(settings: Settings): Promise<BenchRun> {
    return new BenchRun(settings, await startService(settings.rows, showStep));
  }

  private constructor(settings: Settings, service: Service) {
    this.settings = settings;
    this.service = service;
  }

  /** DuckDB and SQLite, filled on first use. */
  readonly stores = (): Promise<Stores> => {
    this.#stores ??= openStores(this.settings.rows);
    return this.#stores;
  };

  async close(): Promise<void> {
    this.client.stop();
    await this.service.stop();
    const stores = await this.#stores;
    stores?.duckdb.close();
    stores?.close();
    endProgress();
  }
}

export interface Stores {
  readonly duckdb: Store;
  readonly jsonb: Store;
  readonly text: Store;
  close(): void;
}

async function openStores(rows: number): Promise<Stores> {
  showStep('filling DuckDB');
  const duckdb = await openDuckDb(rows);
  showStep('filling SQLite');
  const database = openSqlite(rows);
  return {
    duckdb,
    jsonb: sqliteStore(database, 'jsonb'),
    text: sqliteStore(database, 'text'),
    close: () => database.close(),
  };
}
