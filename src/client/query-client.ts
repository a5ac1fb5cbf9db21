// Named and ad-hoc queries.

import { type Parameters, toBindParameters } from './bind-parameters.ts';
import { ConflictError, NotFoundError } from './client-error.ts';
import { type Codec, objects } from './codec.ts';
import { API, type ApiCall, type CallOptions, type Transport } from './transport.ts';

export interface NamedQuery {
  readonly id: string;
  readonly oql: string;
}

export interface RunOptions extends CallOptions {
  /** Can only lower the service's own limit. */
  readonly timeoutMs?: number | undefined;
}

export interface SaveOptions extends CallOptions {
  /** Compile the text first, and refuse it with its position when it is wrong. */
  readonly check?: boolean | undefined;
}

/** A step of a plan, as `explain=true` gives it; docs/http-api.md has the members. */
export interface Plan {
  readonly plan: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

const QUERIES = `${API}/queries`;
/** `[element,…]` */
const ELEMENT_DEPTH = 1;

/** A query ready to run: all rows at once, or one by one as they arrive. */
export class Query<Row> {
  readonly #transport: Transport;
  readonly #call: ApiCall;
  readonly #codec: Codec<Row>;

  constructor(transport: Transport, call: ApiCall, codec: Codec<Row>) {
    this.#transport = transport;
    this.#call = call;
    this.#codec = codec;
  }

  async rows(): Promise<readonly Row[]> {
    const all: Row[] = [];
    for await (const row of this.stream()) all.push(row);
    return all;
  }

  /** Memory stays flat for any result; leaving the loop early cancels the query. */
  async *stream(): AsyncGenerator<Row> {
    for await (const list of this.#transport.elements(this.#call, ELEMENT_DEPTH)) {
      for (const text of list) yield this.#codec.parse(text);
    }
  }

  /** How it would run. */
  explain(): Promise<Plan> {
    return this.#describe('explain=true');
  }

  /** Runs it, and tells the rows and the time of every step. */
  analyze(): Promise<Plan> {
    return this.#describe('analyze=true');
  }

  async #describe(parameter: string): Promise<Plan> {
    const path = this.#call.path + (this.#call.path.includes('?') ? '&' : '?') + parameter;
    const { text } = await this.#transport.exchange({ ...this.#call, path });
    return JSON.parse(text) as Plan; // docs/http-api.md states the members
  }
}

export class QueriesClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** A text that is not stored. */
  adhoc<Row>(
    oql: string,
    parameters: Parameters = [],
    options: RunOptions & { readonly codec?: Codec<Row> | undefined } = {},
  ): Query<Row> {
    const body = JSON.stringify({ oql, params: toBindParameters(parameters) });
    return this.#query(`${QUERIES}/adhoc`, body, options);
  }

  /** A named query, by its id. */
  named<Row>(
    id: string,
    parameters: Parameters = [],
    options: RunOptions & { readonly codec?: Codec<Row> | undefined } = {},
  ): Query<Row> {
    return this.#query(queryPath(id), JSON.stringify(toBindParameters(parameters)), options);
  }

  async list(options: CallOptions = {}): Promise<readonly NamedQuery[]> {
    const { text } = await this.#transport.exchange({ method: 'GET', path: QUERIES, ...options });
    const { queries } = JSON.parse(text) as { queries: readonly NamedQuery[] }; // spec 4.7
    return queries;
  }

  /** Undefined when there is no such query. */
  async get(id: string, options: CallOptions = {}): Promise<NamedQuery | undefined> {
    try {
      const call: ApiCall = { method: 'GET', path: queryPath(id), ...options };
      const { text } = await this.#transport.exchange(call);
      return JSON.parse(text) as NamedQuery; // docs/http-api.md states the members
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  async create(
    { id, oql }: NamedQuery,
    { check, ...options }: SaveOptions = {},
  ): Promise<'created' | 'exists'> {
    const parameters = `id=${encodeURIComponent(id)}&${printText(oql, check)}`;
    return createOrExists(this.#transport, {
      method: 'POST',
      path: `${QUERIES}?${parameters}`,
      ...options,
    });
  }

  /** Fails with `NotFoundError` when there is no such query. */
  async update({ id, oql }: NamedQuery, { check, ...options }: SaveOptions = {}): Promise<void> {
    const path = `${queryPath(id)}?${printText(oql, check)}`;
    await this.#transport.exchange({ method: 'PUT', path, ...options });
  }

  /** False when there was no such query. */
  async remove(id: string, options: CallOptions = {}): Promise<boolean> {
    try {
      await this.#transport.exchange({ method: 'DELETE', path: queryPath(id), ...options });
      return true;
    } catch (error) {
      if (error instanceof NotFoundError) return false;
      throw error;
    }
  }

  #query<Row>(
    path: string,
    body: string,
    {
      codec = objects<Row>(),
      signal,
      timeoutMs,
    }: RunOptions & { readonly codec?: Codec<Row> | undefined },
  ): Query<Row> {
    const address = timeoutMs === undefined ? path : `${path}?timeout=${timeoutMs}`;
    return new Query(this.#transport, { method: 'POST', path: address, body, signal }, codec);
  }
}

/** A conflict means that it is there already. */
export async function createOrExists(
  transport: Transport,
  call: ApiCall,
): Promise<'created' | 'exists'> {
  try {
    await transport.exchange(call);
    return 'created';
  } catch (error) {
    if (error instanceof ConflictError) return 'exists';
    throw error;
  }
}

function queryPath(id: string): string {
  return `${QUERIES}/${encodeURIComponent(id)}`;
}

function printText(oql: string, check: boolean | undefined): string {
  return `q=${encodeURIComponent(oql)}${check === true ? '&check=true' : ''}`;
}
