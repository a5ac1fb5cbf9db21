// The queries that a real Geode answered, and a service with their data.

import { readFileSync } from 'node:fs';
import { type Entries, Service } from '../service.ts';
import { readLines } from './recording.ts';

export interface RecordedQuery {
  readonly id: string;
  readonly oql: string;
  readonly params: readonly unknown[];
  readonly geode: { readonly status: number; readonly body: string };
}

export const RECORDED_QUERIES: readonly RecordedQuery[] = readLines('oql.jsonl');

/** The name of a query in the list of differences: several lines share an id, but no text. */
export function labelOf({ id, oql }: RecordedQuery): string {
  return id === 'p2' ? oql : id;
}

export async function startRecordedGrid(): Promise<Service> {
  const text = readFileSync(new URL('oql-datasets.json', import.meta.url), 'utf8');
  const regions: Readonly<Record<string, Entries>> = JSON.parse(text);
  const service = await Service.start();
  for (const [name, entries] of Object.entries(regions)) {
    await service.grid.createRegion({ name });
    await service.put(name, entries);
  }
  return service;
}
