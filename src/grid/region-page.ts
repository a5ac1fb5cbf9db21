// A page of a region: some of its entries in key order, from one snapshot, and the key after which
// the next page begins. No state is held between pages: each begins after a key. So changes between
// two pages neither repeat nor hide other entries, and the cost of a page does not depend on its
// position.

import type { KeyRange, Snapshot } from '../engine/engine.ts';
import { toTexts } from '../engine/joined-texts.ts';
import { isWholeRange } from '../engine/key-window.ts';
import { OqlError, type SourceEntry } from '../oql/index.ts';
import { EXPIRY_REGION, expiryKey, parseExpiry } from './expiry-records.ts';
import type { EntryFilter } from './query/entry-filters.ts';

/** Maximum entries of a page with a condition, whose keys are held until it is sent. */
export const MAX_FILTERED_PAGE = 10_000;
/** Entries that are tested after a full page, to find whether another page follows. */
const LOOK_AHEAD = 5_000;
/** Bytes of values that one read by keys returns. */
const READ_BYTES = 128 * 1024;
const KEYS_PER_READ = 256;
/** Time slice of counting keys, before yielding. */
const SLICE_MS = 2;

export interface PageRequest {
  readonly range: Omit<KeyRange, 'limit'>;
  /** Undefined: all, as a stream. */
  readonly limit: number | undefined;
  readonly filter: EntryFilter | undefined;
  /** Whether the entries of all pages are counted. */
  readonly isCounted: boolean;
}

export interface PageEntry {
  readonly key: string;
  readonly value: string;
  readonly version: number;
  /** Milliseconds since 1970; absent for an entry that does not expire. */
  readonly expires?: number;
}

/** The caller closes it. Each of its streams can be read once. */
export interface RegionPage {
  /** The commit that it shows. */
  readonly sequence: number;
  /** The next page begins after this key; undefined when there is none. */
  readonly next: string | undefined;
  /** Entries of all pages; undefined unless requested, or when counting took too long. */
  readonly total: number | undefined;
  keys(): AsyncIterable<readonly string[]>;
  /** Values as UTF-8 text, one per line, lines joined by `\n`. */
  values(): AsyncIterable<PageValues>;
  entries(): AsyncIterable<readonly PageEntry[]>;
  close(): void;
}

export interface PageValues {
  readonly lines: Uint8Array;
  readonly count: number;
}

export interface PageContext {
  readonly snapshot: Snapshot;
  readonly region: string;
  /** Whether entries may expire. */
  readonly hasExpiry: boolean;
  readonly now: () => number;
  /** Yields to other requests. */
  readonly pause: () => Promise<void>;
}

/** Takes ownership of the snapshot, and closes it on failure. */
export async function openRegionPage(
  context: PageContext,
  request: PageRequest,
): Promise<RegionPage> {
  try {
    const reader = new PageReader(context, request);
    const total = request.isCounted ? await reader.countAll() : undefined;
    const { keys, next } = await reader.findEnd();
    return {
      sequence: context.snapshot.sequence,
      next,
      total,
      keys: () => keys ?? reader.streamKeys(),
      values: () => reader.streamValues(keys),
      entries: () => reader.streamEntries(keys ?? reader.streamKeys()),
      close: () => context.snapshot.close(),
    };
  } catch (error) {
    context.snapshot.close();
    throw error;
  }
}

interface PageEnd {
  readonly next: string | undefined;
  /** The keys of the page, if finding its end required them. */
  readonly keys: AsyncIterable<readonly string[]> | undefined;
}

class PageReader {
  readonly #context: PageContext;
  readonly #request: PageRequest;

  constructor(context: PageContext, request: PageRequest) {
    this.#context = context;
    this.#request = request;
  }

  findEnd(): Promise<PageEnd> {
    const { filter, limit } = this.#request;
    if (limit === undefined) return Promise.resolve({ next: undefined, keys: undefined });
    if (limit === 0) return Promise.resolve({ next: undefined, keys: inOneBatch([]) });
    return filter === undefined ? this.#findLast(limit) : this.#findMatches(limit, filter);
  }

  /** Entries of all pages; undefined when a condition takes too long to test them. */
  async countAll(): Promise<number | undefined> {
    const { snapshot, region } = this.#context;
    const { filter } = this.#request;
    const { after: _, ...range } = this.#request.range;
    if (filter === undefined && isWholeRange(range)) return snapshot.count(region) ?? 0;
    let count = 0;
    if (filter === undefined) {
      for await (const keys of this.#paced(snapshot.scan(region, range, 'keys')))
        count += keys.length;
      return count;
    }
    try {
      for await (const { matches } of filter.apply(snapshot, this.#scan(range))) {
        count += matches.length;
      }
      return count;
    } catch (error) {
      if (isTimeout(error)) return undefined;
      throw error;
    }
  }

  async *streamKeys(): AsyncGenerator<readonly string[]> {
    const { snapshot, region } = this.#context;
    const { filter } = this.#request;
    if (filter === undefined) {
      yield* snapshot.scan(region, this.#range(), 'keys');
      return;
    }
    for await (const { matches } of filter.apply(snapshot, this.#scan(this.#range()))) {
      if (matches.length > 0) yield matches.map(({ key }) => key);
    }
  }

  async *streamValues(
    keys: AsyncIterable<readonly string[]> | undefined,
  ): AsyncGenerator<PageValues> {
    const { snapshot, region } = this.#context;
    if (this.#request.filter === undefined) {
      for await (const { values } of snapshot.scan(region, this.#range(), 'entries')) {
        yield { lines: values.bytes, count: values.ends.length };
      }
      return;
    }
    for await (const entries of this.streamEntries(keys ?? this.streamKeys())) {
      const lines = Buffer.from(entries.map(({ value }) => value).join('\n'));
      yield { lines, count: entries.length };
    }
  }

  async *streamEntries(
    batches: AsyncIterable<readonly string[]>,
  ): AsyncGenerator<readonly PageEntry[]> {
    const { snapshot, region } = this.#context;
    for await (const keys of batches) {
      for (let at = 0; at < keys.length; ) {
        const wanted = keys.slice(at, at + KEYS_PER_READ);
        const found = await snapshot.read(region, wanted, READ_BYTES);
        // All from one snapshot: a key that was found has its entry.
        const entries = found.flatMap((entry, i) =>
          entry ? [{ key: wanted[i] ?? '', ...entry }] : [],
        );
        yield this.#context.hasExpiry ? await this.#withExpiry(entries) : entries;
        at += found.length;
      }
    }
  }

  async #withExpiry(entries: readonly PageEntry[]): Promise<readonly PageEntry[]> {
    const { region, snapshot } = this.#context;
    const keys = entries.map(({ key }) => expiryKey({ region, key }));
    const records = await snapshot.read(EXPIRY_REGION, keys);
    return entries.map((entry, i) => {
      const record = records[i];
      const isOwn = record?.version === entry.version;
      return record && isOwn ? { ...entry, expires: parseExpiry(record.value) } : entry;
    });
  }

  /** Reads one more key than fits, to know whether another page follows. */
  async #findLast(limit: number): Promise<PageEnd> {
    const { snapshot, region } = this.#context;
    const range = { ...this.#request.range, limit: limit + 1 };
    const held: string[] = [];
    let last: string | undefined;
    let count = 0;
    for await (const keys of this.#paced(snapshot.scan(region, range, 'keys'))) {
      if (count < limit) last = keys[Math.min(keys.length, limit - count) - 1];
      count += keys.length;
      if (limit <= MAX_FILTERED_PAGE) held.push(...keys);
    }
    const next = count > limit ? last : undefined;
    if (limit > MAX_FILTERED_PAGE) return { next, keys: undefined };
    return { next, keys: inOneBatch(held.slice(0, limit)) };
  }

  /**
   * Reads until the page is full. When the time is over, the page ends early and the next one
   * continues there.
   */
  async #findMatches(limit: number, filter: EntryFilter): Promise<PageEnd> {
    const found: string[] = [];
    let last: string | undefined;
    let ahead = 0;
    try {
      const range = this.#request.range;
      for await (const batch of filter.apply(this.#context.snapshot, this.#scan(range))) {
        if (found.length === limit) ahead += KEYS_PER_READ;
        for (const { key } of batch.matches) {
          if (found.length === limit) return { next: found.at(-1), keys: inOneBatch(found) };
          found.push(key);
        }
        last = batch.last.key;
        if (ahead > LOOK_AHEAD) return { next: last, keys: inOneBatch(found) };
      }
      return { next: undefined, keys: inOneBatch(found) };
    } catch (error) {
      if (!isTimeout(error) || last === undefined) throw error;
      return { next: last, keys: inOneBatch(found) };
    }
  }

  async *#scan(range: KeyRange): AsyncGenerator<readonly SourceEntry[]> {
    const { snapshot, region } = this.#context;
    for await (const batch of snapshot.scan(region, range, 'entries')) {
      const entries = toTexts(batch).map(([key, value]) => ({ key, value }));
      // In smaller batches, because a page ends after a batch when its time is over.
      for (let at = 0; at < entries.length; at += KEYS_PER_READ) {
        yield entries.slice(at, at + KEYS_PER_READ);
      }
    }
  }

  #range(): KeyRange {
    return { ...this.#request.range, limit: this.#request.limit };
  }

  /** The batches of a scan, yielding to other requests between slices. */
  async *#paced<Batch>(batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
    const { now, pause } = this.#context;
    let sliceEnd = now() + SLICE_MS;
    for await (const batch of batches) {
      yield batch;
      if (now() < sliceEnd) continue;
      await pause();
      sliceEnd = now() + SLICE_MS;
    }
  }
}

async function* inOneBatch(keys: readonly string[]): AsyncGenerator<readonly string[]> {
  if (keys.length > 0) yield keys;
}

function isTimeout(error: unknown): boolean {
  return error instanceof OqlError && error.code === 'oql/timeout';
}
