// The elements of a page as JSON texts: values, parts of them, entries or keys.

import type { PageEntry, RegionPage } from '../../grid/index.ts';
import { type Fields, projectJson } from '../../value/project-json.ts';
import type { LineBatch } from './print-elements.ts';

export function pageElements(
  page: RegionPage,
  what: 'values' | 'entries' | 'keys',
  fields: Fields | undefined,
): AsyncIterable<LineBatch> {
  if (what === 'keys') return mapBatches(page.keys(), (key) => JSON.stringify(key));
  if (what === 'values' && fields === undefined) return page.values();
  const show =
    fields === undefined ? (text: string) => text : (text: string) => projectJson(text, fields);
  return mapBatches(page.entries(), (entry) =>
    what === 'values' ? show(entry.value) : printEntry(entry, show(entry.value)),
  );
}

function printEntry({ expires, key, version }: PageEntry, value: string): string {
  const end = expires === undefined ? '' : `,"expires":"${new Date(expires).toISOString()}"`;
  return `{"key":${JSON.stringify(key)},"version":${version}${end},"value":${value}}`;
}

async function* mapBatches<Item>(
  batches: AsyncIterable<readonly Item[]>,
  print: (item: Item) => string,
): AsyncGenerator<LineBatch> {
  for await (const items of batches) {
    yield { lines: Buffer.from(items.map(print).join('\n')), count: items.length };
  }
}
