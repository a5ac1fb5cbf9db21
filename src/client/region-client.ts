// The entries of one region. Every write is atomic, and returns the new version of the entry.

import { batchKeys } from './batch-keys.ts';
import { type BulkSource, type BulkSummary, printBulk } from './bulk-client.ts';
import {
  type Change,
  type ChangeFeedOptions,
  type Commit,
  type FollowRequest,
  followChanges,
  followCommits,
  parseChange,
} from './change-feed.ts';
import { NotFoundError } from './client-error.ts';
import type { Codec } from './codec.ts';
import { printCondition, printTag, readVersion } from './entity-tags.ts';
import type { Entry, KeyedValue, WriteOptions, Written } from './entry.ts';
import {
  addMoment,
  type EntryVersion,
  type ReadOptions,
  type RestoreOptions,
  readVersions,
  restoreVersion,
} from './history.ts';
import { type Patch, printPatch } from './patch.ts';
import { type Page, type PageOptions, readPages } from './region-pages.ts';
import {
  API,
  type ApiCall,
  type CallOptions,
  type RepeatOptions,
  type Transport,
} from './transport.ts';

/** Default of `entries`. */
const ENTRIES_PER_PAGE = 500;
/** `{"region":[element,…]}` */
const ELEMENT_DEPTH = 2;

export class RegionClient<Document> {
  readonly name: string;
  readonly #transport: Transport;
  readonly #codec: Codec<Document>;
  readonly #path: string;

  constructor(name: string, codec: Codec<Document>, transport: Transport) {
    this.name = name;
    this.#codec = codec;
    this.#transport = transport;
    this.#path = `${API}/${encodeURIComponent(name)}`;
  }

  // Following

  /**
   * The changes of the region, as they happen, until the loop is left. A lost connection is
   * reopened, and no change is missed or delivered twice. Throws `GoneError` when the next changes
   * are no longer kept.
   */
  changes(options: ChangeFeedOptions = {}): AsyncGenerator<Change<Document>> {
    return followChanges(this.#follow(options));
  }

  /** The same in whole commits, whose sequences are positions to resume from. */
  commits(options: ChangeFeedOptions = {}): AsyncGenerator<Commit<Document>> {
    return followCommits(this.#follow(options));
  }

  // Reading

  /** Undefined when the key does not exist. */
  async get(key: string, options: ReadOptions = {}): Promise<Entry<Document> | undefined> {
    return this.#orUndefined('grid/keys-missing', async () => {
      const answer = await this.#transport.exchange(this.#call('GET', [key], options));
      return this.#toEntry(key, answer);
    });
  }

  /**
   * The entry as it is now. The value is sent only when it changed: otherwise the same object is
   * returned. Undefined when the key was removed.
   */
  async refresh(
    entry: Entry<Document>,
    options: CallOptions = {},
  ): Promise<Entry<Document> | undefined> {
    return this.#orUndefined('grid/keys-missing', async () => {
      const answer = await this.#transport.exchange({
        ...this.#call('GET', [entry.key], options),
        headers: { 'if-none-match': printTag(entry.version) },
        expected: [304],
      });
      return answer.status === 304 ? entry : this.#toEntry(entry.key, answer);
    });
  }

  /**
   * One element per key, in order; undefined for a key that does not exist. One snapshot shows up
   * to 500 keys, or as many as fit into a URL.
   */
  async getMany(
    keys: readonly string[],
    options: ReadOptions = {},
  ): Promise<readonly (Document | undefined)[]> {
    const values: (Document | undefined)[] = [];
    for (const batch of batchKeys(keys)) values.push(...(await this.#readBatch(batch, options)));
    return values;
  }

  /** The first values in key order. */
  async first(limit: number, options: ReadOptions = {}): Promise<readonly Document[]> {
    const path = addMoment(`${this.#path}?limit=${limit}`, options);
    const elements = await this.#collect({ method: 'GET', path, ...options });
    return elements.map((text) => this.#codec.parse(text));
  }

  /** All keys of one snapshot, in key order. */
  async *keys(options: ReadOptions = {}): AsyncGenerator<string> {
    for await (const list of this.keyLists(options)) yield* list;
  }

  /** The same in lists as they arrive. */
  async *keyLists(options: ReadOptions = {}): AsyncGenerator<readonly string[]> {
    const path = addMoment(`${this.#path}/keys`, options);
    const call: ApiCall = { method: 'GET', path, ...options };
    for await (const list of this.#transport.elements(call, ELEMENT_DEPTH)) {
      yield list.map((text) => JSON.parse(text) as string); // the list holds strings alone
    }
  }

  /** All values of one snapshot, in key order, as they arrive; memory stays constant. */
  async *values(options: ReadOptions = {}): AsyncGenerator<Document> {
    const path = addMoment(`${this.#path}?limit=ALL`, options);
    const call: ApiCall = { method: 'GET', path, ...options };
    for await (const list of this.#transport.elements(call, ELEMENT_DEPTH)) {
      for (const text of list) yield this.#codec.parse(text);
    }
  }

  /**
   * Every entry in key order, in lists. The keys are of one snapshot; the values are read in
   * batches afterwards, each batch in one snapshot. An entry that was removed meanwhile is skipped;
   * one that was added is not included.
   */
  async *scan(options: ReadOptions = {}): AsyncGenerator<readonly KeyedValue<Document>[]> {
    for await (const list of this.keyLists(options)) {
      for (const batch of batchKeys(list)) {
        const values = await this.#readBatch(batch, options);
        yield batch.flatMap((key, i) => {
          const value = values[i];
          return value === undefined ? [] : [{ key, value }];
        });
      }
    }
  }

  /**
   * Entries in pages, in key order, as selected by the options. Each page is from one snapshot; an
   * entry that is not removed is returned once, regardless of writes between pages.
   */
  pages(options: PageOptions = {}): AsyncGenerator<Page<Document>> {
    return readPages(this.#transport, this.#path, this.#codec, options);
  }

  /** The entries of all pages, one by one. */
  async *entries(options: PageOptions = {}): AsyncGenerator<Entry<Document>> {
    for await (const page of this.pages({ limit: ENTRIES_PER_PAGE, ...options }))
      yield* page.entries;
  }

  /** Number of entries; undefined when there is no such region. */
  async count(options: ReadOptions = {}): Promise<number | undefined> {
    return this.#orUndefined(undefined, async () => {
      const { headers } = await this.#transport.exchange({
        method: 'HEAD',
        path: addMoment(this.#path, options),
        ...options,
      });
      const count = headers.get('resource-count'); // `queries`, which is no region, has none
      return count === null ? undefined : Number(count);
    });
  }

  /** The kept versions of an entry, latest first, including removals. */
  history(key: string, options: CallOptions = {}): AsyncGenerator<EntryVersion<Document>> {
    return readVersions(this.#transport, this.#historyPath(key), this.#codec, options);
  }

  // Writing

  /**
   * Restores the value of an earlier version, as a new version; `RefusedError` if it is not kept.
   */
  restore(key: string, version: number, options: RestoreOptions = {}): Promise<Written> {
    return restoreVersion(this.#transport, this.#historyPath(key), { key, version, ...options });
  }

  /** Creates or overwrites. */
  put(key: string, value: Document, options: WriteOptions = {}): Promise<Written> {
    return this.#write('PUT', { key, value, options });
  }

  /** Creates or overwrites all of them, or none. */
  async putMany(
    entries: readonly KeyedValue<Document>[],
    options: RepeatOptions = {},
  ): Promise<void> {
    if (entries.length === 0) return;
    const keys = entries.map(({ key }) => key);
    const values = entries.map(({ value }) => this.#codec.print(value));
    const body = values.length === 1 ? (values[0] ?? '') : `[${values.join(',')}]`;
    await this.#transport.exchange({ ...this.#call('PUT', keys, options), body });
  }

  /** Fails with `ConflictError` when the key exists. */
  create(
    key: string,
    value: Document,
    options: Omit<WriteOptions, 'ifVersion'> = {},
  ): Promise<Written> {
    return this.#write('CREATE', { key, value, options });
  }

  /** Creates an entry under a key that the service generates. Later keys sort later. */
  async add(value: Document, options: RepeatOptions = {}): Promise<Written> {
    const body = this.#codec.print(value);
    const { headers } = await this.#transport.exchange({
      method: 'POST',
      path: this.#path,
      body,
      takesKey: true,
      ...options,
    });
    const key = /[^/]*$/.exec(headers.get('location') ?? '')?.[0] ?? '';
    return { key: decodeURIComponent(key), version: readVersion(headers) };
  }

  /** Overwrites; fails with `NotFoundError` when the key does not exist. */
  replace(key: string, value: Document, options: WriteOptions = {}): Promise<Written> {
    return this.#write('REPLACE', { key, value, options });
  }

  /**
   * Writes `next` when the stored value equals `expected` as JSON. Fails with
   * `ConflictError`, whose `current` is the stored text, when it does not, and with
   * `NotFoundError` when the key does not exist.
   */
  async compareAndSet(
    key: string,
    { expected, next }: { readonly expected: Document; readonly next: Document },
    options: RepeatOptions = {},
  ): Promise<Written> {
    const body = `{"@old":${this.#codec.print(expected)},"@new":${this.#codec.print(next)}}`;
    const call = this.#call('PUT', [key], options, printWrite('CAS', options));
    const { headers } = await this.#transport.exchange({ ...call, body, errors: 'conflict' });
    return { key, version: readVersion(headers) };
  }

  /**
   * Changes part of an entry: an object is a merge patch, a list a JSON Patch. Fails with
   * `NotFoundError` when the key does not exist, and with `ConflictError` when the patch cannot be
   * applied.
   */
  async patch(key: string, patch: Patch, options: WriteOptions = {}): Promise<Written> {
    const { body, contentType } = printPatch(patch);
    const { headers } = await this.#transport.exchange({
      ...this.#call('PATCH', [key], options, printTtl(options)),
      body,
      headers: { 'content-type': contentType, ...printCondition(options.ifVersion) },
    });
    return { key, version: readVersion(headers) };
  }

  /**
   * Writes any number of independent entries, from any source. Failures are in the summary;
   * operations on one key keep their order.
   */
  async bulk(source: BulkSource<Document>, options: CallOptions = {}): Promise<BulkSummary> {
    const { text } = await this.#transport.exchange({
      method: 'POST',
      path: `${this.#path}/_bulk`,
      body: printBulk(source, this.#codec),
      headers: { 'content-type': 'application/x-ndjson' },
      ...options,
    });
    return JSON.parse(text) as BulkSummary; // docs/http-api.md states the members
  }

  /** False when the key did not exist. */
  async remove(key: string, options: WriteOptions = {}): Promise<boolean> {
    const call = this.#call('DELETE', [key], options);
    const removed = await this.#orUndefined('grid/keys-not-found', async () => {
      await this.#transport.exchange({ ...call, headers: printCondition(options.ifVersion) });
      return true;
    });
    return removed ?? false;
  }

  /** All of them or none: fails with `NotFoundError` when a key does not exist. */
  async removeMany(keys: readonly string[], options: RepeatOptions = {}): Promise<void> {
    if (keys.length > 0) await this.#transport.exchange(this.#call('DELETE', keys, options));
  }

  /** Removes every entry; the region stays. */
  async clear(options: CallOptions = {}): Promise<void> {
    await this.#transport.exchange({ method: 'DELETE', path: this.#path, ...options });
  }

  async #write(
    op: 'PUT' | 'CREATE' | 'REPLACE',
    write: { readonly key: string; readonly value: Document; readonly options: WriteOptions },
  ): Promise<Written> {
    const { key, options, value } = write;
    const { headers } = await this.#transport.exchange({
      ...this.#call('PUT', [key], options, printWrite(op, options)),
      body: this.#codec.print(value),
      headers: printCondition(options.ifVersion),
    });
    return { key, version: readVersion(headers) };
  }

  async #readBatch(
    keys: readonly string[],
    options: ReadOptions,
  ): Promise<readonly (Document | undefined)[]> {
    const elements = await this.#collect(this.#call('GET', keys, options, 'ignoreMissingKey=true'));
    return elements.map((text) => (text === 'null' ? undefined : this.#codec.parse(text)));
  }

  async #collect(call: ApiCall): Promise<readonly string[]> {
    const all: string[] = [];
    for await (const list of this.#transport.elements(call, ELEMENT_DEPTH)) all.push(...list);
    return all;
  }

  #toEntry(
    key: string,
    { headers, text }: { readonly headers: Headers; readonly text: string },
  ): Entry<Document> {
    // The answer is {"name":[value]}; the name has no character that JSON escapes.
    const value = text.slice(this.name.length + '{"":['.length, -']}'.length);
    const expires = headers.get('expires');
    return {
      key,
      value: this.#codec.parse(value),
      version: readVersion(headers),
      ...(expires === null ? {} : { expires: new Date(expires) }),
    };
  }

  #historyPath(key: string): string {
    return `${this.#path}/_history/${encodeURIComponent(key)}`;
  }

  #follow(options: ChangeFeedOptions): FollowRequest<Document> {
    return {
      transport: this.#transport,
      path: `/${encodeURIComponent(this.name)}/_changes`,
      parameters: {},
      options,
      parse: (json) => parseChange(json, (text) => this.#codec.parse(text)),
    };
  }

  /** With `keys=`, which accepts every possible key. */
  #call(
    method: ApiCall['method'],
    keys: readonly string[],
    { at, idempotencyKey, signal }: RepeatOptions & ReadOptions,
    parameter?: string,
  ): ApiCall {
    const list = keys.map(encodeURIComponent).join(',');
    const more = parameter === undefined ? '' : `&${parameter}`;
    const path = `${this.#path}?keys=${list}${more}`;
    if (method === 'GET') return { method, path: addMoment(path, { at }), signal };
    return { method, path, signal, idempotencyKey, takesKey: true };
  }

  /** Undefined in place of a `NotFoundError` of this code, or of any code. */
  async #orUndefined<T>(code: string | undefined, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const isMissing =
        error instanceof NotFoundError && (code === undefined || error.code === code);
      if (isMissing) return undefined;
      throw error;
    }
  }
}

function printWrite(op: string, options: WriteOptions): string {
  const ttl = printTtl(options);
  return ttl === undefined ? `op=${op}` : `op=${op}&${ttl}`;
}

function printTtl({ ttl }: WriteOptions): string | undefined {
  return ttl === undefined ? undefined : `ttl=${encodeURIComponent(ttl)}`;
}
