// A typed client of the HTTP API.
//
//   const client = new GridClient({ url: 'http://127.0.0.1:7070' });
//   const orders = client.region<Order>('orders');
//   const order = await orders.get('7');
//   if (order) await orders.put('7', { ...order.value, status: 'paid' }, { ifVersion: order.version });

import {
  type Change,
  type ChangeFeedOptions,
  type Commit,
  type FollowRequest,
  followChanges,
  followCommits,
  parseChange,
} from './change-feed.ts';
import { ClientError } from './client-error.ts';
import { type Codec, objects } from './codec.ts';
import { createOrExists, QueriesClient } from './query-client.ts';
import { RegionClient } from './region-client.ts';
import { ServiceClient } from './service-client.ts';
import {
  parseTransactionAnswer,
  printTransaction,
  type TransactionAnswer,
  type TransactionOptions,
  type TransactionRequest,
} from './transaction-client.ts';
import { ADMIN, API, type CallOptions, type GridClientOptions, Transport } from './transport.ts';

export interface RegionShape {
  readonly name: string;
  readonly type: string;
  readonly keyConstraint: string | null;
  readonly valueConstraint: string | null;
  /** History that is kept, and the time to live of entries. */
  readonly settings?: RegionSettings;
}

/** Spans are seconds or ISO 8601 durations (`PT24H`); described, they are durations. */
export interface RegionSettings {
  readonly history?: {
    readonly age?: string | number;
    readonly count?: number;
  } | null;
  readonly entryTtl?: string | number | null;
  readonly maxTtl?: string | number | null;
}

export interface RegionIndex {
  readonly name: string;
  readonly kind: string;
  readonly expression: string;
  readonly from: string;
  /** True: no two entries may have the same value. */
  readonly unique?: boolean;
}

/** With usage figures of queries on the answering server. */
export interface IndexDetails extends RegionIndex {
  readonly uses: number;
  /** Absent: never. */
  readonly lastUsed?: Date;
  /** Since the server started, or the index was created. */
  readonly countedSince: Date;
}

export interface RegionSchema {
  readonly region: string;
  /** Documents that were sampled. */
  readonly sampled: number;
  readonly fields: readonly FieldSchema[];
  readonly 'is-cut': boolean;
}

/** Values are JSON texts, so that numbers stay exact. */
export interface FieldSchema {
  /** `address.city`; elements of a list are `items[]`. */
  readonly path: string;
  readonly present: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly distinct: number;
  readonly 'distinct-is-more': boolean;
  readonly least?: string;
  readonly greatest?: string;
  readonly frequent: readonly { readonly value: string; readonly count: number }[];
  readonly histogram?: readonly number[];
}

export interface RegionDetails extends RegionShape {
  readonly entryCount: number;
  readonly indexes: readonly RegionIndex[];
}

export interface DescribedRegion extends RegionDetails {
  /** Of all values, as they are stored. */
  readonly bytes: number;
}

export interface GridFeedOptions extends ChangeFeedOptions {
  /** All that the login may read when absent. */
  readonly regions?: readonly string[] | undefined;
}

const REGIONS = `${ADMIN}/regions`;

export class GridClient {
  readonly queries: QueriesClient;
  readonly service: ServiceClient;
  readonly #transport: Transport;

  /** Throws `BadAddressError`; nothing is sent yet. */
  constructor(options: GridClientOptions) {
    this.#transport = new Transport(options);
    this.queries = new QueriesClient(this.#transport);
    this.service = new ServiceClient(this.#transport);
  }

  /** The entries of a region. Sends nothing: a missing region is reported on use. */
  region<Document>(
    name: string,
    codec: Codec<Document> = objects<Document>(),
  ): RegionClient<Document> {
    return new RegionClient(name, codec, this.#transport);
  }

  /**
   * Executes all steps as one commit, or none: fails with `ConflictError` when a condition or a
   * requirement of a step does not hold.
   */
  async transaction<Document>(
    request: TransactionRequest<Document>,
    options: TransactionOptions<Document> = {},
  ): Promise<TransactionAnswer<Document>> {
    const { codec = objects<Document>(), idempotencyKey, rollback, signal } = options;
    const { headers, text } = await this.#transport.exchange({
      method: 'POST',
      path: `${API}/_tx`,
      body: printTransaction(request, codec),
      takesKey: true,
      idempotencyKey,
      signal,
      headers: rollback === true ? { prefer: 'tx=rollback' } : {},
    });
    if (text === '' && headers.get('idempotent-replayed') !== null) throw answerNotKept();
    return parseTransactionAnswer(text, codec);
  }

  /** The changes of several regions, as they happen; see `RegionClient.changes`. */
  changes(options: GridFeedOptions = {}): AsyncGenerator<Change<unknown>> {
    return followChanges(this.#follow(options));
  }

  /** The same in whole commits. */
  commits(options: GridFeedOptions = {}): AsyncGenerator<Commit<unknown>> {
    return followCommits(this.#follow(options));
  }

  async ping(options: CallOptions = {}): Promise<void> {
    await this.#transport.exchange({ method: 'GET', path: `${API}/ping`, ...options });
  }

  /** Addresses of the servers that run the service. */
  async listServers(options: CallOptions = {}): Promise<readonly string[]> {
    const path = `${API}/servers`;
    const { text } = await this.#transport.exchange({ method: 'GET', path, ...options });
    return JSON.parse(text) as readonly string[]; // spec 4.11
  }

  /** The regions that this login may see. */
  async listRegions(options: CallOptions = {}): Promise<readonly RegionShape[]> {
    const { text } = await this.#transport.exchange({ method: 'GET', path: API, ...options });
    // Spec 4.1 states the members.
    const { regions } = JSON.parse(text) as { regions: readonly Record<string, unknown>[] };
    return regions.map(toShape);
  }

  /** With entry counts and indexes; needs the right to read the cluster. */
  async describeRegions(options: CallOptions = {}): Promise<readonly DescribedRegion[]> {
    const { text } = await this.#transport.exchange({ method: 'GET', path: REGIONS, ...options });
    // docs/http-api.md states the members.
    const { regions } = JSON.parse(text) as { regions: readonly Record<string, unknown>[] };
    return regions.map(toDetails);
  }

  /** The schema of a region, inferred from this many documents. */
  async readSchema(
    region: string,
    { sample, ...options }: CallOptions & { readonly sample?: number | undefined } = {},
  ): Promise<RegionSchema> {
    const query = sample === undefined ? '' : `?sample=${sample}`;
    const path = `${REGIONS}/${encodeURIComponent(region)}/schema${query}`;
    const { text } = await this.#transport.exchange({ method: 'GET', path, ...options });
    return JSON.parse(text) as RegionSchema; // docs/http-api.md states the members
  }

  createRegion(region: RegionShape, options: CallOptions = {}): Promise<'created' | 'exists'> {
    const body = JSON.stringify({
      name: region.name,
      type: region.type,
      ...(region.keyConstraint === null ? {} : { 'key-constraint': region.keyConstraint }),
      ...(region.valueConstraint === null ? {} : { 'value-constraint': region.valueConstraint }),
      ...toMembers(region.settings ?? {}),
    });
    return createOrExists(this.#transport, { method: 'POST', path: REGIONS, body, ...options });
  }

  /** Absent settings stay, null removes one. Fails when there is no such region. */
  async alterRegion(
    name: string,
    settings: RegionSettings,
    options: CallOptions = {},
  ): Promise<DescribedRegion> {
    const path = `${REGIONS}/${encodeURIComponent(name)}`;
    const body = JSON.stringify(toMembers(settings));
    const { text } = await this.#transport.exchange({ method: 'PATCH', path, body, ...options });
    return toDetails(JSON.parse(text));
  }

  /** With all its entries and indexes. False when there was no such region. */
  destroyRegion(name: string, options: CallOptions = {}): Promise<boolean> {
    return this.#transport.remove({ path: `${REGIONS}/${encodeURIComponent(name)}`, ...options });
  }

  /** Fails with `NotFoundError` when there is no such region. */
  async listIndexes(region: string, options: CallOptions = {}): Promise<readonly IndexDetails[]> {
    const path = `${REGIONS}/${encodeURIComponent(region)}/indexes`;
    const { text } = await this.#transport.exchange({ method: 'GET', path, ...options });
    const { indexes } = JSON.parse(text) as { indexes: readonly ListedIndex[] };
    return indexes.map(toIndexDetails);
  }

  /** Fails with `grid/not-unique` when it is unique and two entries have the same value. */
  createIndex(
    region: string,
    { expression, from, kind, name, unique }: RegionIndex,
    options: CallOptions = {},
  ): Promise<'created' | 'exists'> {
    const path = `${REGIONS}/${encodeURIComponent(region)}/indexes`;
    const body = JSON.stringify({ name, kind, expression, from, unique });
    return createOrExists(this.#transport, { method: 'POST', path, body, ...options });
  }

  /** False when there was no such index. */
  dropIndex(region: string, index: string, options: CallOptions = {}): Promise<boolean> {
    const path = `${REGIONS}/${encodeURIComponent(region)}/indexes/${encodeURIComponent(index)}`;
    return this.#transport.remove({ path, ...options });
  }

  #follow(options: GridFeedOptions): FollowRequest<unknown> {
    const { regions } = options;
    return {
      transport: this.#transport,
      path: '/_changes',
      parameters: regions === undefined ? {} : { regions: regions.join(',') },
      options,
      parse: (json) => parseChange(json, (text): unknown => JSON.parse(text)),
    };
  }
}

/** The service keeps the answers of writes up to a length. */
function answerNotKept(): ClientError {
  return new ClientError(
    'client/answer-not-kept',
    'the transaction was committed by an earlier attempt, whose answer was too long to be kept; read the entries again',
  );
}

/** As docs/http-api.md states the members. */
interface ListedIndex extends RegionIndex {
  readonly uses: number;
  readonly 'last-used'?: string;
  readonly 'counted-since': string;
}

function toIndexDetails(index: ListedIndex): IndexDetails {
  const { 'counted-since': since, 'last-used': last, ...same } = index;
  return {
    ...same,
    ...(last === undefined ? {} : { lastUsed: new Date(last) }),
    countedSince: new Date(since),
  };
}

function toShape(region: Readonly<Record<string, unknown>>): RegionShape {
  return {
    name: String(region['name']),
    type: String(region['type']),
    keyConstraint: toText(region['key-constraint']),
    valueConstraint: toText(region['value-constraint']),
  };
}

/** As docs/http-api.md states the members. */
function toDetails(region: Record<string, unknown>): DescribedRegion {
  const { 'entry-ttl': entryTtl, history, 'max-ttl': maxTtl } = region;
  const settings = {
    ...(history === undefined ? {} : { history }),
    ...(entryTtl === undefined ? {} : { entryTtl }),
    ...(maxTtl === undefined ? {} : { maxTtl }),
  } as RegionSettings; // members of these kinds, as the same page states
  return {
    ...toShape(region),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
    entryCount: Number(region['entry-count']),
    bytes: Number(region['bytes']),
    indexes: region['indexes'] as readonly RegionIndex[], // as the same page states
  };
}

function toMembers({ entryTtl, history, maxTtl }: RegionSettings): object {
  // JSON omits undefined members.
  return { history, 'entry-ttl': entryTtl, 'max-ttl': maxTtl };
}

function toText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
