// What the parts of a run share: its sizes, its processes, and how it shows progress.

import { LoadClient, type Service, startService } from './service-process.ts';
import { openDuckDb, openSqlite, type Store, sqliteStore } from './stores.ts';

export interface Settings {
  readonly rows: number;
  /** Measured rounds of everything that is compared. */
  readonly rounds: number;
  /** Length of a round of load. */
  readonly roundMs: number;
  readonly warmUpMs: number;
  /** How long latencies are watched beside each query. */
  readonly watchMs: number;
}

export class Run {
  readonly settings: Settings;
  readonly service: Service;
  readonly client: LoadClient = new LoadClient();
  #stores: Promise<Stores> | undefined;

  static async open(settings: Settings): Promise<Run> {
    return new Run(settings, await startService(settings.rows, progress));
  }

  private constructor(settings: Settings, service: Service) {
    this.settings = settings;
    this.service = service;
  }

  /** DuckDB and SQLite, filled when first asked for. */
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
    progress('');
  }
}

export interface Stores {
  readonly duckdb: Store;
  readonly jsonb: Store;
  readonly text: Store;
  close(): void;
}

async function openStores(rows: number): Promise<Stores> {
  progress('filling DuckDB');
  const duckdb = await openDuckDb(rows);
  progress('filling SQLite');
  const database = openSqlite(rows);
  return {
    duckdb,
    jsonb: sqliteStore(database, 'jsonb'),
    text: sqliteStore(database, 'text'),
    close: () => database.close(),
  };
}

/** One line on a terminal, overwritten by the next; in a log only each new kind of step. */
export function progress(text: string): void {
  const step = text.replace(/[:,] \d.*$/, '');
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else if (step !== lastStep && step !== '') process.stderr.write(`${step} …\n`);
  lastStep = step;
}

let lastStep = '';
