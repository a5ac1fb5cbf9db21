// The service itself: login, measurements, running queries.

import { ADMIN, type CallOptions, type Transport } from './transport.ts';

export interface LoginDetails {
  /** While it is `off`, every request is allowed. */
  readonly authentication: 'on' | 'off';
  /** Null while authentication is off. */
  readonly name: string | null;
  /** In the form of settings: `DATA:READ:orders`. A shorter one covers all that begin with it. */
  readonly permissions: readonly string[];
}

export interface RunningQuery {
  readonly id: string;
  readonly oql: string;
  /** Of a named query. */
  readonly queryId: string | undefined;
  readonly state: string;
  readonly elapsedMs: number;
  /** Address of the server that runs it. */
  readonly server: string;
}

export interface ServiceSetting {
  /** `query.max-execution-time-ms`. */
  readonly path: string;
  /** Secrets are masked. */
  readonly value: unknown;
  readonly origin: { readonly source: string; readonly name: string };
}

export interface QueryStatistics {
  readonly queries: readonly {
    readonly 'query-id': string;
    readonly calls: number;
    readonly failures: number;
    readonly 'median-ms': number;
    readonly 'p99-ms': number;
    readonly 'last-run': string;
    readonly 'last-error'?: { readonly code: string; readonly time: string };
  }[];
  /** Of the last hour, the slowest first. */
  readonly slowest: readonly SlowQuery[];
  readonly server: string;
}

export interface SlowQuery {
  readonly oql: string;
  readonly 'query-id'?: string;
  readonly ms: number;
  readonly rows: number;
  readonly outcome: string;
  readonly code?: string;
  readonly time: string;
}

export class ServiceClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The login of this client, with its permissions. */
  async readLogin(options: CallOptions = {}): Promise<LoginDetails> {
    // docs/http-api.md states the members.
    return JSON.parse(await this.#get(`${ADMIN}/login`, options)) as LoginDetails;
  }

  /** Metrics in the text format of Prometheus; needs the right to read the cluster. */
  readMetrics(options: CallOptions = {}): Promise<string> {
    return this.#get('/metrics', options, 'text/plain');
  }

  /** Every setting with its value and origin; needs the right to read the cluster. */
  async readSettings(options: CallOptions = {}): Promise<readonly ServiceSetting[]> {
    const text = await this.#get(`${ADMIN}/config`, options);
    // docs/http-api.md states the members.
    return (JSON.parse(text) as { settings: readonly ServiceSetting[] }).settings;
  }

  /** Queries running on this server, then waiting ones; needs the right to manage queries. */
  async listRunningQueries(options: CallOptions = {}): Promise<readonly RunningQuery[]> {
    const text = await this.#get(`${ADMIN}/queries/running`, options);
    // docs/http-api.md states the members.
    const { queries } = JSON.parse(text) as { queries: readonly Record<string, unknown>[] };
    return queries.map((query) => ({
      id: String(query['id']),
      oql: String(query['oql']),
      queryId: typeof query['query-id'] === 'string' ? query['query-id'] : undefined,
      state: String(query['state']),
      elapsedMs: Number(query['elapsed-ms']),
      server: String(query['server']),
    }));
  }

  /** Statistics of queries on this server since it started; needs the right to manage queries. */
  async readQueryStatistics(options: CallOptions = {}): Promise<QueryStatistics> {
    // docs/http-api.md states the members.
    return JSON.parse(await this.#get(`${ADMIN}/queries/statistics`, options)) as QueryStatistics;
  }

  /** False when no query of this id runs. */
  async cancelQuery(id: string, options: CallOptions = {}): Promise<boolean> {
    const path = `${ADMIN}/queries/running/${encodeURIComponent(id)}`;
    return this.#transport.remove({ path, ...options });
  }

  async #get(path: string, options: CallOptions, accept?: string): Promise<string> {
    const headers = accept === undefined ? {} : { accept };
    return (await this.#transport.exchange({ method: 'GET', path, headers, ...options })).text;
  }
}
