// The source of an export and the target of an import: a data directory, a database, or a running
// service over its API, with one interface.

import { openReadableGrid, openWritableGrid } from '../../app/index.ts';
import {
  ClientError,
  GridClient,
  type KeyedValue,
  type NamedQuery,
  type RegionDetails,
  type RegionIndex,
  type RegionShape,
  texts,
} from '../../client/index.ts';
import { readClientLogin } from '../../config/client-login.ts';
import type { Config } from '../../config/config.ts';
import { loadDataConfig } from '../load-data-config.ts';
import type { Options } from '../parse-options.ts';
import { refuseUsage } from '../print-errors.ts';
import { resolvePath } from '../resolve-path.ts';
import type { Terminal } from '../terminal.ts';

/** The value is JSON text, exactly as stored. */
export interface TextEntry extends KeyedValue<string> {
  /** When it expires, in milliseconds since 1970. */
  readonly expires?: number;
}

/** A written entry and its time to live; undefined: the default of its region. */
export interface WrittenEntry extends KeyedValue<string> {
  readonly ttlMs?: number;
}

const PAGE_ENTRIES = 500;

/** A command as it was called. */
export interface CalledCommand {
  readonly options: Options;
  readonly terminal: Terminal;
}

export interface ExportSource {
  describeRegions(): Promise<readonly RegionDetails[]>;
  listQueries(): Promise<readonly NamedQuery[]>;
  /** Undefined when there is no such region. */
  count(region: string): Promise<number | undefined>;
  /** In key order, in batches. */
  entries(region: string): AsyncIterable<readonly TextEntry[]>;
  /** False when the entries should be from one moment and are not. */
  isUndisturbed(): boolean;
  close(): Promise<void>;
}

export interface ImportTarget {
  /** Undefined when there is no such region. */
  count(region: string): Promise<number | undefined>;
  createRegion(region: RegionShape): Promise<'created' | 'exists'>;
  createIndex(region: string, index: RegionIndex): Promise<'created' | 'exists'>;
  createQuery(query: NamedQuery): Promise<'created' | 'exists'>;
  /** All or none. */
  put(region: string, entries: readonly WrittenEntry[]): Promise<void>;
  /** Each entry on its own. Only for services, where it saves requests. */
  load?(region: string, entries: readonly WrittenEntry[]): Promise<Loaded>;
  /** After a failure, a store that the command created and got nothing into is removed. */
  close(end: 'done' | 'failed'): Promise<void>;
}

export interface Loaded {
  readonly failed: number;
  /** The first failures, by the index of their entries from 0. */
  readonly failures: readonly { readonly index: number; readonly message: string }[];
}

/** The result of opening; `misused` when flags or settings are invalid, which was then reported. */
export type Opened<Access> = Access | 'misused';

export async function openSource(call: CalledCommand): Promise<Opened<ExportSource>> {
  const location = await findLocation(call);
  if (location === 'misused') return 'misused';
  if (location.kind === 'store') return openReadableGrid(location.config);
  const { client } = location;
  return {
    describeRegions: () => client.describeRegions(),
    listQueries: () => client.queries.list(),
    count: (region) => client.region(region).count(),
    entries: (region) => readService(client, region),
    isUndisturbed: () => true,
    close: async () => undefined,
  };
}

export async function openTarget(call: CalledCommand): Promise<Opened<ImportTarget>> {
  const location = await findLocation(call);
  if (location === 'misused') return 'misused';
  if (location.kind === 'store') return openWritableGrid(location.config);
  const { client } = location;
  return {
    count: (region) => client.region(region).count(),
    createRegion: (region) => client.createRegion(region),
    createIndex: (region, index) => client.createIndex(region, index),
    createQuery: (query) => client.queries.create(query),
    put: (region, entries) => writeService(client, region, entries),
    load: (region, entries) => loadService(client, region, entries),
    close: async () => undefined,
  };
}

/** In pages, each from one snapshot; an entry that is not removed is read once. */
async function* readService(
  client: GridClient,
  region: string,
): AsyncGenerator<readonly TextEntry[]> {
  for await (const { entries } of client.region(region, texts).pages({ limit: PAGE_ENTRIES })) {
    yield entries.map(({ expires, key, value }) =>
      expires === undefined ? { key, value } : { key, value, expires: expires.getTime() },
    );
  }
}

/** A request for several keys has one time to live for all of them; the steps of a transaction differ. */
async function writeService(
  client: GridClient,
  region: string,
  entries: readonly WrittenEntry[],
): Promise<void> {
  if (entries.every(({ ttlMs }) => ttlMs === undefined)) {
    return client.region(region, texts).putMany(entries);
  }
  const steps = entries.map((entry) => ({ region, ...toItem(entry) }));
  await client.transaction({ do: steps }, { codec: texts });
}

async function loadService(
  client: GridClient,
  region: string,
  entries: readonly WrittenEntry[],
): Promise<Loaded> {
  return client.region(region, texts).bulk(entries.map(toItem));
}

function toItem({ key, ttlMs, value }: WrittenEntry): {
  readonly key: string;
  readonly value: string;
  readonly ttl?: number;
} {
  return { key, value, ...(ttlMs === undefined ? {} : { ttl: ttlMs / 1000 }) };
}

type DataLocation =
  | { readonly kind: 'service'; readonly client: GridClient }
  /** The settings hold the directory's whole path, or the address of the database. */
  | { readonly kind: 'store'; readonly config: Config };

async function findLocation({ options, terminal }: CalledCommand): Promise<Opened<DataLocation>> {
  if (['data', 'store', 'url'].filter((name) => options.has(name)).length !== 1) {
    return misused(terminal, 'one of --data DIR, --store URL and --url URL is needed');
  }
  const url = options.value('url');
  if (url !== undefined) return findService(url, terminal);
  const loaded = await loadDataConfig(options, terminal);
  if (loaded === undefined) return 'misused';
  const directory = resolvePath(loaded.config.store.directory, terminal);
  const store = options.has('store')
    ? loaded.config.store
    : { ...loaded.config.store, engine: 'sqlite' as const, directory };
  return { kind: 'store', config: { ...loaded.config, store } };
}

function findService(url: string, terminal: Terminal): Opened<DataLocation> {
  const login = readClientLogin(terminal.environment);
  if (login.kind === 'refused') return misused(terminal, login.problem);
  try {
    const client = new GridClient({ url, login: login.kind === 'none' ? undefined : login });
    return { kind: 'service', client };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return misused(terminal, `--url: ${error.message}`);
  }
}

function misused(terminal: Terminal, problem: string): 'misused' {
  refuseUsage(terminal, [problem]);
  return 'misused';
}
