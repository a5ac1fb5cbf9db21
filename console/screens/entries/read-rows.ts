// Reads rows of a region for the list: in pages after a key, with a filter.

import {
  type GridClient,
  type PageOptions,
  type RegionClient,
  texts,
} from '../../../src/client/index.ts';
import type { ReadKeys } from './prefix-tree.ts';
import type { ReadRows, Row, RowPage } from './row-window.ts';

/** At most one of them is set. */
export interface Filter {
  readonly prefix?: string | undefined;
  readonly where?: string | undefined;
}

/** The state of the list in the URL. */
export interface ListState extends Filter {
  readonly view?: 'tree' | undefined;
}

/** Longer values are not read for a list, only when they are opened. */
const LARGEST_VALUE = 4096;
const PREVIEW = 200;
/** A member that no value has, so that pages have only keys and versions. */
const NO_FIELDS = ['@'];

export interface RowSource {
  readonly read: ReadRows;
  /** Undefined if counting would cost as much as reading everything. */
  readonly total: number | undefined;
}

/** `averageBytes`: of a value, where it is known. */
export async function openRows(
  client: GridClient,
  region: string,
  filter: Filter,
  averageBytes: number | undefined,
): Promise<RowSource> {
  const entries = client.region(region, texts);
  const hasValues = averageBytes === undefined || averageBytes <= LARGEST_VALUE;
  return {
    total: await countRows(entries, filter),
    read: ({ want, ...request }) => {
      const fields = want === 'rows' && hasValues ? undefined : NO_FIELDS;
      return fillPage(entries, { ...filter, ...request, fields });
    },
  };
}

/** Only keys, for the tree of prefixes. */
export function readKeys(client: GridClient, region: string, signal: AbortSignal): ReadKeys {
  const entries = client.region(region, texts);
  return async ({ prefix, ...request }) => {
    const filter = prefix === '' ? {} : { prefix };
    const page = await firstPage(entries, { ...filter, ...request, fields: NO_FIELDS, signal });
    return { keys: page.entries.map(({ key }) => key), total: page.total };
  };
}

/** With a condition a page may end early, at its time limit: reading continues. */
async function fillPage(
  entries: RegionClient<string>,
  options: PageOptions & { readonly limit: number },
): Promise<RowPage> {
  const rows: Row[] = [];
  let next: PageOptions = options;
  for (;;) {
    const page = await firstPage(entries, next);
    for (const { key, value, version } of page.entries) {
      rows.push({ key, version, preview: options.fields ? undefined : previewOf(value) });
    }
    if (page.cursor === undefined) return { rows, hasMore: false };
    if (rows.length >= options.limit) return { rows, hasMore: true };
    const { after: _, ...rest } = options;
    next = { ...rest, limit: options.limit - rows.length, cursor: page.cursor };
  }
}

/** Omits the name of the type, which is the same in every row. */
function previewOf(value: string): string {
  return value.slice(0, PREVIEW).replace(/^\{"@type":"[^"]*",?/, '{');
}

async function countRows(
  entries: RegionClient<string>,
  filter: Filter,
): Promise<number | undefined> {
  if (filter.where !== undefined) return undefined;
  const page = await firstPage(entries, { ...filter, limit: 1, fields: NO_FIELDS, count: 'exact' });
  return page.total ?? 0;
}

async function firstPage(entries: RegionClient<string>, options: PageOptions) {
  for await (const page of entries.pages(options)) return page;
  throw new Error('The service gave no page.');
}
