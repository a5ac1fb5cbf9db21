// Entries of a region in pages. The service holds no state between pages: each begins after the
// last key of the previous one.

import type { Codec } from './codec.ts';
import { printMoment, type ReadOptions } from './history.ts';
import { membersOf } from './json-parts.ts';
import type { ApiCall, Transport } from './transport.ts';

export interface PageOptions extends ReadOptions {
  /** Entries of one page. */
  readonly limit?: number | undefined;
  /** Begin after this key. */
  readonly after?: string | undefined;
  /** Continue where an earlier page ended: its `cursor`. The other options must be the same. */
  readonly cursor?: string | undefined;
  /** Lower bound, inclusive. */
  readonly from?: string | undefined;
  /** Upper bound, exclusive. */
  readonly to?: string | undefined;
  readonly prefix?: string | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  /** An OQL condition, such as `total > 100`. */
  readonly where?: string | undefined;
  /** Only these members of each value, such as `['a', 'b.c']`. */
  readonly fields?: readonly string[] | undefined;
  /** `exact`: pages have the total number of entries. */
  readonly count?: 'exact' | undefined;
}

export interface Page<Document> {
  readonly entries: readonly PageEntry<Document>[];
  /** The cursor of the next page; undefined on the last one. */
  readonly cursor: string | undefined;
  /** Entries of all pages, if requested. */
  readonly total: number | undefined;
}

export interface PageEntry<Document> {
  readonly key: string;
  readonly value: Document;
  readonly version: number;
  /** Expiry time; absent if it does not expire. */
  readonly expires?: Date;
}

/** `{"region":[entry,…]}` */
const ENTRY_DEPTH = 2;
const NAMES = ['limit', 'after', 'from', 'to', 'prefix', 'order', 'where', 'cursor'] as const;

/** Reads page after page, each from one snapshot. */
export async function* readPages<Document>(
  transport: Transport,
  path: string,
  codec: Codec<Document>,
  options: PageOptions,
): AsyncGenerator<Page<Document>> {
  for (let next: PageOptions | undefined = options; next !== undefined; ) {
    const page: Page<Document> = await readPage(transport, path, codec, next);
    yield page;
    const { after: _, ...rest } = options;
    next = page.cursor === undefined ? undefined : { ...rest, cursor: page.cursor };
  }
}

async function readPage<Document>(
  transport: Transport,
  path: string,
  codec: Codec<Document>,
  options: PageOptions,
): Promise<Page<Document>> {
  const call: ApiCall = {
    method: 'GET',
    path: `${path}?${printParameters(options)}`,
    headers: options.count === 'exact' ? { prefer: 'count=exact' } : {},
    signal: options.signal,
  };
  const { elements, headers } = await transport.collect(call, ENTRY_DEPTH);
  const total = headers.get('resource-count');
  return {
    entries: elements.map((text) => parseEntry(text, codec)),
    cursor: cursorOf(headers.get('link')),
    total: total === null ? undefined : Number(total),
  };
}

function printParameters(options: PageOptions): string {
  const parameters = new URLSearchParams({ entries: 'true' });
  for (const name of NAMES) {
    const value = options[name];
    if (value !== undefined) parameters.set(name, String(value));
  }
  if (options.at !== undefined) parameters.set('at', printMoment(options.at));
  if (options.fields !== undefined) parameters.set('fields', options.fields.join(','));
  // The service does not decode a plus as a blank.
  return parameters.toString().replaceAll('+', '%20');
}

function parseEntry<Document>(text: string, codec: Codec<Document>): PageEntry<Document> {
  const members = membersOf(text);
  const expires = members.get('expires');
  return {
    key: JSON.parse(members.get('key') ?? '""') as string, // the service prints keys as strings
    version: Number(members.get('version')),
    value: codec.parse(members.get('value') ?? 'null'),
    // The service prints a time as a string.
    ...(expires === undefined ? {} : { expires: new Date(JSON.parse(expires) as string) }),
  };
}

/** Of the address in `Link: <…>; rel="next"`. */
function cursorOf(link: string | null): string | undefined {
  const [, address] = /<([^>]*)>\s*;\s*rel="next"/.exec(link ?? '') ?? [];
  if (address === undefined) return undefined;
  return URL.parse(address)?.searchParams.get('cursor') ?? undefined;
}
