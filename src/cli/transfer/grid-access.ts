// Where entries are exported from and imported into: a data directory, or a
// running service over its API. Both look alike from here.

import { openReadableGrid, openWritableGrid } from '../../app/index.ts';
import { ClientError, GridClient } from '../../client/index.ts';
import { readClientLogin } from '../../config/client-login.ts';
import { loadDataConfig } from '../load-data-config.ts';
import type { Options } from '../parse-options.ts';
import { resolvePath } from '../resolve-path.ts';
import type { Terminal } from '../terminal.ts';

export interface RegionShape {
  readonly name: string;
  readonly type: string;
  readonly keyConstraint: string | null;
  readonly valueConstraint: string | null;
}

export interface RegionIndex {
  readonly name: string;
  readonly kind: string;
  readonly expression: string;
  readonly from: string;
}

export interface RegionDetails extends RegionShape {
  readonly entryCount: number;
  readonly indexes: readonly RegionIndex[];
}

export interface Query {
  readonly id: string;
  readonly oql: string;
}

export interface Entry {
  readonly key: string;
  /** The JSON text that is stored. */
  readonly value: string;
}

export interface ExportSource {
  describeRegions(): Promise<readonly RegionDetails[]>;
  listQueries(): Promise<readonly Query[]>;
  /** Undefined when there is no such region. */
  count(region: string): Promise<number | undefined>;
  /** In key order, in batches. */
  entries(region: string): AsyncIterable<readonly Entry[]>;
  /** False when what was read is not of one moment though it should be. */
  isUndisturbed(): boolean;
  close(): Promise<void>;
}

export interface ImportTarget {
  /** Undefined when there is no such region. */
  count(region: string): Promise<number | undefined>;
  createRegion(region: RegionShape): Promise<'created' | 'exists'>;
  createIndex(region: string, index: RegionIndex): Promise<'created' | 'exists'>;
  createQuery(query: Query): Promise<'created' | 'exists'>;
  /** All or none. */
  put(region: string, entries: readonly Entry[]): Promise<void>;
  close(): Promise<void>;
}

/** What opening gives when flags or settings are wrong; it has been complained about. */
export type Opened<Access> = Access | 'misused';

export async function openSource(
  options: Options,
  terminal: Terminal,
): Promise<Opened<ExportSource>> {
  const url = requireOnePlace(options, terminal);
  if (url === 'misused') return 'misused';
  if (url !== undefined) {
    const client = openClient(url, terminal);
    if (client === 'misused') return 'misused';
    return {
      describeRegions: () => client.describeRegions(),
      listQueries: () => client.listQueries(),
      count: (region) => client.count(region),
      entries: (region) => client.entries(region),
      isUndisturbed: () => true,
      close: async () => undefined,
    };
  }
  const loaded = await loadDataConfig(options, terminal);
  if (loaded === undefined) return 'misused';
  return openReadableGrid(resolvePath(loaded.config.store.directory, terminal));
}

export async function openTarget(
  options: Options,
  terminal: Terminal,
): Promise<Opened<ImportTarget>> {
  const url = requireOnePlace(options, terminal);
  if (url === 'misused') return 'misused';
  if (url !== undefined) {
    const client = openClient(url, terminal);
    if (client === 'misused') return 'misused';
    return {
      count: (region) => client.count(region),
      createRegion: (region) => client.createRegion(region),
      createIndex: (region, index) => client.createIndex(region, index),
      createQuery: (query) => client.createQuery(query),
      put: (region, entries) => client.put(region, entries),
      close: async () => undefined,
    };
  }
  const loaded = await loadDataConfig(options, terminal);
  if (loaded === undefined) return 'misused';
  const { config } = loaded;
  const directory = resolvePath(config.store.directory, terminal);
  return openWritableGrid({ ...config, store: { ...config.store, directory } });
}

/** The address, or undefined for a data directory. */
function requireOnePlace(options: Options, terminal: Terminal): Opened<string | undefined> {
  if (options.has('data') !== options.has('url')) return options.value('url');
  terminal.complain('gridkeep: either --data DIR or --url URL is needed, and not both');
  return 'misused';
}

function openClient(url: string, terminal: Terminal): Opened<GridClient> {
  const login = readClientLogin(terminal.environment);
  if (login.kind === 'refused') {
    terminal.complain(`gridkeep: ${login.problem}`);
    return 'misused';
  }
  try {
    return new GridClient({ url, login: login.kind === 'none' ? undefined : login });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    terminal.complain(`gridkeep: --url: ${error.message}`);
    return 'misused';
  }
}
