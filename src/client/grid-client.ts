// A typed client of the HTTP API, on `fetch` alone: runs in Node and in a
// browser. Values travel as JSON text, exactly as stored; what becomes of them
// is the caller's affair.

import { badAddress, ClientError, cutShort, refused, unreachable } from './client-error.ts';
import { readElements } from './json-elements.ts';

export type Login =
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'api-key'; readonly key: string };

export interface GridClientOptions {
  /** Where the service is, `https://grid.example.com:7070`; a path in front of the API is kept. */
  readonly url: string;
  readonly login?: Login | undefined;
  /** How often a request is sent again that the service turned away with 503. */
  readonly retries?: number;
  readonly signal?: AbortSignal;
}

export interface GridEntry {
  readonly key: string;
  /** JSON text of an object, or of an array of objects. */
  readonly value: string;
}

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

export interface GridQuery {
  readonly id: string;
  readonly oql: string;
}

const API = '/grid-api/v1';
const ADMIN = '/grid-admin/v1';
const DEFAULT_RETRIES = 5;
const MAX_WAIT_MS = 5000;
/** What one read asks for: well below the service's limits for keys and for an address. */
const KEYS_PER_READ = 500;
const ADDRESS_LENGTH = 12_000;

export class GridClient {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #retries: number;
  readonly #signal: AbortSignal | undefined;

  /** Throws `client/bad-address`; nothing is sent yet. */
  constructor({ login, retries = DEFAULT_RETRIES, signal, url }: GridClientOptions) {
    this.#base = checkAddress(url);
    this.#headers = login === undefined ? {} : { authorization: printLogin(login) };
    this.#retries = retries;
    this.#signal = signal;
  }

  async ping(): Promise<void> {
    await this.#send('GET', `${API}/ping`);
  }

  /** With entry counts and indexes; needs the right to read the cluster. */
  async describeRegions(): Promise<readonly RegionDetails[]> {
    const answer = await this.#send('GET', `${ADMIN}/regions`);
    // docs/http-api.md states the members.
    const { regions } = (await answer.json()) as { regions: readonly Record<string, unknown>[] };
    return regions.map((region) => ({
      name: String(region['name']),
      type: String(region['type']),
      keyConstraint: toText(region['key-constraint']),
      valueConstraint: toText(region['value-constraint']),
      entryCount: Number(region['entry-count']),
      indexes: region['indexes'] as readonly RegionIndex[], // as the same page states
    }));
  }

  createRegion(region: RegionShape): Promise<'created' | 'exists'> {
    return this.#create(`${ADMIN}/regions`, {
      name: region.name,
      type: region.type,
      ...(region.keyConstraint === null ? {} : { 'key-constraint': region.keyConstraint }),
      ...(region.valueConstraint === null ? {} : { 'value-constraint': region.valueConstraint }),
    });
  }

  createIndex(region: string, index: RegionIndex): Promise<'created' | 'exists'> {
    const { expression, from, kind, name } = index;
    const path = `${ADMIN}/regions/${encodeURIComponent(region)}/indexes`;
    return this.#create(path, { name, kind, expression, from });
  }

  async listQueries(): Promise<readonly GridQuery[]> {
    const answer = await this.#send('GET', `${API}/queries`);
    const { queries } = (await answer.json()) as { queries: readonly GridQuery[] }; // spec 4.7
    return queries;
  }

  createQuery({ id, oql }: GridQuery): Promise<'created' | 'exists'> {
    return this.#create(`${API}/queries?id=${encodeURIComponent(id)}&q=${encodeURIComponent(oql)}`);
  }

  /** Undefined when there is no such region. */
  async count(region: string): Promise<number | undefined> {
    try {
      const answer = await this.#send('HEAD', regionPath(region));
      return Number(answer.headers.get('resource-count'));
    } catch (error) {
      if (error instanceof ClientError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** All keys of one moment, in key order, in lists as they arrive. */
  async *keys(region: string): AsyncGenerator<readonly string[]> {
    for await (const texts of this.#stream(`${regionPath(region)}/keys`)) {
      yield texts.map((text) => JSON.parse(text) as string); // the list holds strings alone
    }
  }

  /** The values of these keys in their order; a key that does not exist gives undefined. */
  async *read(
    region: string,
    keys: readonly string[],
  ): AsyncGenerator<readonly (string | undefined)[]> {
    const path = `${regionPath(region)}?ignoreMissingKey=true&keys=${printKeys(keys)}`;
    for await (const texts of this.#stream(path)) {
      yield texts.map((text) => (text === 'null' ? undefined : text));
    }
  }

  /**
   * Every entry in key order. The keys are those of one moment; the values are
   * read in batches afterwards, each batch of one moment. An entry removed in
   * between is left out, one added is not seen.
   */
  async *entries(region: string): AsyncGenerator<readonly GridEntry[]> {
    for await (const keys of this.keys(region)) {
      for (const batch of batchKeys(keys)) {
        let at = 0;
        for await (const values of this.read(region, batch)) {
          const first = at;
          at += values.length;
          yield values.flatMap((value, i) =>
            value === undefined ? [] : [{ key: batch[first + i] ?? '', value }],
          );
        }
      }
    }
  }

  /** Creates or overwrites all of them or none. Sent again after 503 only, so never done twice in part. */
  async put(region: string, entries: readonly GridEntry[]): Promise<void> {
    const keys = printKeys(entries.map(({ key }) => key));
    const values = entries.map(({ value }) => value);
    const body = values.length === 1 ? (values[0] ?? '') : `[${values.join(',')}]`;
    await drain(await this.#send('PUT', `${regionPath(region)}?keys=${keys}`, body));
  }

  async #create(path: string, body?: object): Promise<'created' | 'exists'> {
    try {
      const text = body === undefined ? undefined : JSON.stringify(body);
      await drain(await this.#send('POST', path, text));
      return 'created';
    } catch (error) {
      if (error instanceof ClientError && error.status === 409) return 'exists';
      throw error;
    }
  }

  async *#stream(path: string): AsyncGenerator<readonly string[]> {
    const { body } = await this.#send('GET', path);
    const address = this.#base + path.replace(/\?.*/s, '');
    if (body === null) throw cutShort(address);
    yield* readElements(body, (cause) => cutShort(address, cause));
  }

  /** Gives the answer when it is a success; throws what went wrong otherwise. */
  async #send(method: string, path: string, body?: string): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#fetch(method, path, body);
      if (answer.ok) return answer;
      const text = await answer.text();
      if (answer.status !== 503 || attempt >= this.#retries) throw refused(answer.status, text);
      await pause(waitMs(answer.headers.get('retry-after'), attempt));
    }
  }

  async #fetch(method: string, path: string, body: string | undefined): Promise<Response> {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    try {
      return await fetch(this.#base + path, {
        method,
        headers: { ...this.#headers, ...type },
        // An answer from elsewhere is not this service's, and must not get the login.
        redirect: 'error',
        ...(body === undefined ? {} : { body }),
        ...(this.#signal === undefined ? {} : { signal: this.#signal }),
      });
    } catch (error) {
      throw unreachable(this.#base, error);
    }
  }
}

/** Lists of keys that fit into one address each. */
function* batchKeys(keys: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let length = 0;
  for (const key of keys) {
    const size = encodeURIComponent(key).length + 1;
    if (batch.length > 0 && (batch.length === KEYS_PER_READ || length + size > ADDRESS_LENGTH)) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(key);
    length += size;
  }
  if (batch.length > 0) yield batch;
}

function regionPath(region: string): string {
  return `${API}/${encodeURIComponent(region)}`;
}

function printKeys(keys: readonly string[]): string {
  return keys.map(encodeURIComponent).join(',');
}

function checkAddress(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw badAddress(`${url} is not an address such as http://127.0.0.1:7070`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw badAddress('the address must not hold a login');
  }
  return parsed.origin + parsed.pathname.replace(/\/+$/, '');
}

function printLogin(login: Login): string {
  switch (login.kind) {
    case 'password': {
      const bytes = new TextEncoder().encode(`${login.user}:${login.password}`);
      return `Basic ${btoa(String.fromCharCode(...bytes))}`;
    }
    case 'api-key':
      return `Bearer ${login.key}`;
  }
}

function toText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** An answer that is not read to its end keeps its connection. */
async function drain(answer: Response): Promise<void> {
  await answer.arrayBuffer();
}

function waitMs(retryAfter: string | null, attempt: number): number {
  const asked = Number(retryAfter ?? 0) * 1000;
  return Math.min(MAX_WAIT_MS, Math.max(asked, 50 * 2 ** attempt));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
