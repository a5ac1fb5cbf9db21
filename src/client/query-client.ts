// Named and ad-hoc queries.

import { type Parameters, toBindParameters } from './bind-parameters.ts';
import { ConflictError, NotFoundError } from './client-error.ts';
import { type Codec, objects, printExact } from './codec.ts';
import { addMoment, type ReadOptions } from './history.ts';
import { followQuery, type LiveEvent, type LiveOptions, parseRowId } from './live-query.ts';
import { API, type ApiCall, type CallOptions, type Transport } from './transport.ts';

export interface NamedQuery {
  readonly id: string;
  readonly oql: string;
}

export interface RunOptions extends ReadOptions {
  /** Can only lower the service's own limit. */
  readonly timeoutMs?: number | undefined;
}

interface QueryOptions<Row> extends RunOptions {
  /** Decodes rows; plain objects if absent. */
  readonly codec?: Codec<Row> | undefined;
}

export interface RowOptions {
  /** The transfer form of rows. A failure midway is reported in `ndjson`, and cuts `json` off. */
  readonly as?: 'json' | 'ndjson' | undefined;
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

/** All rows, and a tag of their state. */
export interface QueryResult<Row> {
  readonly rows: readonly Row[];
  /** Changes when a region that the query reads changes; absent if unknown. */
  readonly tag: string | undefined;
}

/** The requests that run and follow a query. */
interface QueryCalls {
  readonly run: ApiCall;
  readonly safe: ApiCall;
  readonly live: ApiCall;
}

/** A query ready to run: all rows at once, one by one as they arrive, or as they change. */
export class Query<Row> {
  readonly #transport: Transport;
  readonly #call: ApiCall;
  readonly #safeCall: ApiCall;
  readonly #liveCall: ApiCall;
  readonly #codec: Codec<Row>;

  constructor(transport: Transport, calls: QueryCalls, codec: Codec<Row>) {
    this.#transport = transport;
    this.#call = calls.run;
    this.#safeCall = calls.safe;
    this.#liveCall = calls.live;
    this.#codec = codec;
  }

  async rows(options: RowOptions = {}): Promise<readonly Row[]> {
    const all: Row[] = [];
    for await (const row of this.stream(options)) all.push(row);
    return all;
  }

  /** All rows with their tag, for `refresh`. */
  async result(): Promise<QueryResult<Row>> {
    return this.#toResult(await this.#transport.collect(this.#safeCall, ELEMENT_DEPTH));
  }

  /** The result as it is now; the same object while nothing changed, and then no row is sent. */
  async refresh(known: QueryResult<Row>): Promise<QueryResult<Row>> {
    const answer = await this.#transport.collectUnless(this.#safeCall, ELEMENT_DEPTH, known.tag);
    return answer === undefined ? known : this.#toResult(answer);
  }

  /** Memory stays constant for any result; leaving the loop early cancels the query. */
  async *stream({ as = 'json' }: RowOptions = {}): AsyncGenerator<Row> {
    const lists =
      as === 'json'
        ? this.#transport.elements(this.#call, ELEMENT_DEPTH)
        : this.#transport.rows({ ...this.#call, path: this.#pathWith('end=true') });
    for await (const list of lists) for (const text of list) yield this.#codec.parse(text);
  }

  /** The result as CSV text: a header row, then one row per line. */
  async csv(): Promise<string> {
    const headers = { accept: 'text/csv, application/problem+json;q=0.5' };
    return (await this.#transport.exchange({ ...this.#call, headers })).text;
  }

  /**
   * The rows, then their changes, for as long as the loop runs, over as many connections as
   * necessary. Throws when the query fails.
   */
  live(options: LiveOptions = {}): AsyncGenerator<LiveEvent<Row>> {
    return this.#follow(parseRowId, options);
  }

  /** The same with ids as JSON texts: as numbers of JavaScript, two beyond 2^53 may be equal. */
  liveWithTextIds(options: LiveOptions = {}): AsyncGenerator<LiveEvent<Row, string>> {
    return this.#follow((text) => text, options);
  }

  /** All rows by the JSON of their ids, at first and after every change. The map is the same each time. */
  async *liveRows(options: LiveOptions = {}): AsyncGenerator<ReadonlyMap<string, Row>> {
    const rows = new Map<string, Row>();
    for await (const event of this.liveWithTextIds(options)) {
      if (event.kind === 'snapshot') {
        rows.clear();
        for (const { id, row } of event.rows) rows.set(id, row);
      } else {
        for (const delta of event.deltas) {
          if (delta.kind === 'leave') rows.delete(delta.id);
          else rows.set(delta.id, delta.row);
        }
      }
      yield rows;
    }
  }

  /** The estimated plan. */
  explain(): Promise<Plan> {
    return this.#describe('explain=true');
  }

  /** Runs it, and returns rows and time of every step. */
  analyze(): Promise<Plan> {
    return this.#describe('analyze=true');
  }

  #follow<Id>(
    parseId: (text: string) => Id,
    options: LiveOptions,
  ): AsyncGenerator<LiveEvent<Row, Id>> {
    const codec = { codec: this.#codec, parseId };
    return followQuery(this.#transport, this.#liveCall, codec, options);
  }

  #toResult({
    elements,
    headers,
  }: {
    readonly headers: Headers;
    readonly elements: readonly string[];
  }): QueryResult<Row> {
    const rows = elements.map((text) => this.#codec.parse(text));
    return { rows, tag: headers.get('etag') ?? undefined };
  }

  async #describe(parameter: string): Promise<Plan> {
    const path = this.#pathWith(parameter);
    const { text } = await this.#transport.exchange({ ...this.#call, path });
    return JSON.parse(text) as Plan; // docs/http-api.md states the members
  }

  #pathWith(parameter: string): string {
    const { path } = this.#call;
    return path + (path.includes('?') ? '&' : '?') + parameter;
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
    options: QueryOptions<Row> = {},
  ): Query<Row> {
    const body = printExact({ oql, params: toBindParameters(parameters) });
    const path = `${QUERIES}/adhoc`;
    const { signal } = options;
    return this.#query(
      { path, safePath: QUERIES, body },
      { method: 'POST', path: `${path}/_live`, body, signal },
      options,
    );
  }

  /** A named query, by its id. */
  named<Row>(id: string, parameters: Parameters = [], options: QueryOptions<Row> = {}): Query<Row> {
    const path = queryPath(id);
    const body = printExact(toBindParameters(parameters));
    const live = `${path}/_live?params=${encodeURIComponent(body)}`;
    const { signal } = options;
    return this.#query(
      { path, safePath: path, body },
      { method: 'GET', path: live, signal },
      options,
    );
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
    // In the body, because a text may be longer than a URL.
    return createOrExists(this.#transport, {
      method: 'POST',
      path: check === true ? `${QUERIES}?check=true` : QUERIES,
      body: JSON.stringify({ id, oql }),
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
    return this.#transport.remove({ path: queryPath(id), ...options });
  }

  #query<Row>(
    paths: { readonly path: string; readonly safePath: string; readonly body: string },
    live: ApiCall,
    { at, codec = objects<Row>(), signal, timeoutMs }: QueryOptions<Row>,
  ): Query<Row> {
    const { body } = paths;
    const limit = timeoutMs === undefined ? '' : `?timeout=${timeoutMs}`;
    const toPath = (path: string): string => addMoment(path + limit, { at });
    const run: ApiCall = { method: 'POST', path: toPath(paths.path), body, signal };
    const safe: ApiCall = {
      method: 'QUERY',
      path: toPath(paths.safePath),
      body,
      signal,
      isRepeatable: true,
    };
    return new Query(this.#transport, { run, safe, live }, codec);
  }
}

/** A conflict means that it exists already. */
export async function createOrExists(
  transport: Transport,
  call: ApiCall,
): Promise<'created' | 'exists'> {
  try {
    await transport.exchange(call);
    return 'created';
  } catch (error) {
    if (error instanceof ConflictError && error.code.endsWith('-exists')) return 'exists';
    throw error;
  }
}

function queryPath(id: string): string {
  return `${QUERIES}/${encodeURIComponent(id)}`;
}

function printText(oql: string, check: boolean | undefined): string {
  return `q=${encodeURIComponent(oql)}${check === true ? '&check=true' : ''}`;
}
