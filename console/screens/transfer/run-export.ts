// Collects the entries of a region or the rows of a query into a file. The parts are blobs, which
// browsers keep outside of the memory of the page.

import { signal } from '@preact/signals';
import {
  type GridClient,
  type PageEntry,
  type PageOptions,
  texts,
} from '../../../src/client/index.ts';
import { saveFile } from '../../api/save-file.ts';
import { call } from '../../api/session.ts';
import { CsvColumns } from './csv-columns.ts';
import type { FileForm } from './read-file.ts';

export interface ExportRequest {
  readonly source:
    | { readonly kind: 'region'; readonly region: string }
    | { readonly kind: 'query'; readonly oql: string };
  readonly form: FileForm;
  readonly fileName: string;
}

export interface ExportProgress {
  readonly rows: number;
  /** If known. */
  readonly total: number | undefined;
  readonly bytes: number;
  readonly ms: number;
}

export interface ExportState {
  readonly kind: 'running' | 'done' | 'cancelled' | 'stopped';
  readonly request: ExportRequest;
  readonly progress: ExportProgress;
  readonly error?: unknown;
}

const TYPES: Readonly<Record<FileForm, string>> = {
  ndjson: 'application/x-ndjson',
  array: 'application/json',
  csv: 'text/csv',
};
const FIRST_PAGE = 200;
const MAX_PAGE = 1000;
const PAGE_CHARACTERS = 2 * 1024 * 1024;
const PART_CHARACTERS = 1024 * 1024;

export const currentExport = signal<ExportState | undefined>(undefined);
let stop = new AbortController();

export function cancelExport(): void {
  stop.abort();
}

export async function startExport(request: ExportRequest): Promise<void> {
  if (currentExport.value?.kind === 'running') return;
  const controller = new AbortController();
  stop = controller;
  const begun = performance.now();
  let progress: ExportProgress = { rows: 0, total: undefined, bytes: 0, ms: 0 };
  const report = (change: Partial<ExportProgress>): void => {
    progress = { ...progress, ...change, ms: performance.now() - begun };
    currentExport.value = { kind: 'running', request, progress };
  };
  report({});
  try {
    const content = await call((client) => collect(client, request, controller.signal, report));
    report({ bytes: content.size });
    saveFile(content, request.fileName);
    currentExport.value = { kind: 'done', request, progress };
  } catch (error) {
    currentExport.value = controller.signal.aborted
      ? { kind: 'cancelled', request, progress }
      : { kind: 'stopped', request, progress, error };
  }
}

async function collect(
  client: GridClient,
  { form, source }: ExportRequest,
  signal: AbortSignal,
  report: (change: Partial<ExportProgress>) => void,
): Promise<Blob> {
  const parts = new Parts();
  const columns = form === 'csv' ? new CsvColumns() : undefined;
  let count = 0;
  for await (const list of readSource(client, source, signal, report)) {
    signal.throwIfAborted();
    for (const row of list) {
      parts.add(form === 'array' ? `${count === 0 ? '[' : ','}\n${row}` : `${row}\n`);
      columns?.learn(row);
      count += 1;
    }
    report({ rows: count, bytes: parts.characters });
  }
  if (form === 'array') parts.add(count === 0 ? '[]\n' : '\n]\n');
  const content = parts.finish(TYPES[form]);
  return columns === undefined ? content : columns.print(content, TYPES.csv);
}

/** Collects text into blobs of a minimum size. */
class Parts {
  characters = 0;
  readonly #blobs: Blob[] = [];
  #texts: string[] = [];
  #pending = 0;

  add(text: string): void {
    this.#texts.push(text);
    this.#pending += text.length;
    this.characters += text.length;
    if (this.#pending >= PART_CHARACTERS) this.#flush();
  }

  finish(type: string): Blob {
    this.#flush();
    return new Blob(this.#blobs, { type });
  }

  #flush(): void {
    this.#blobs.push(new Blob(this.#texts));
    this.#texts = [];
    this.#pending = 0;
  }
}

function readSource(
  client: GridClient,
  source: ExportRequest['source'],
  signal: AbortSignal,
  report: (change: Partial<ExportProgress>) => void,
): AsyncGenerator<readonly string[]> {
  return source.kind === 'region'
    ? readRegion(client, source.region, signal, report)
    : readQuery(client, source.oql, signal);
}

/** `{"key": …, "value": …}` for each entry, in key order; with `"expires"` if it expires. */
async function* readRegion(
  client: GridClient,
  region: string,
  signal: AbortSignal,
  report: (change: Partial<ExportProgress>) => void,
): AsyncGenerator<readonly string[]> {
  const entries = client.region(region, texts);
  report({ total: await entries.count({ signal }) });
  let next: PageOptions | undefined = { limit: FIRST_PAGE, signal };
  while (next !== undefined) {
    let cursor: string | undefined;
    let limit = FIRST_PAGE;
    for await (const page of entries.pages(next)) {
      const rows = page.entries.map(printEntry);
      yield rows;
      const characters = rows.reduce((sum, row) => sum + row.length, 1);
      limit = Math.ceil((rows.length * PAGE_CHARACTERS) / characters);
      cursor = page.cursor;
      break;
    }
    // Entries have any size, so the length of the next page is estimated from this one.
    next =
      cursor === undefined
        ? undefined
        : { cursor, limit: Math.max(1, Math.min(MAX_PAGE, limit)), signal };
  }
}

/** The same line as that of `gridkeep export`. */
function printEntry({ expires, key, value }: PageEntry<string>): string {
  const end = expires === undefined ? '' : `,"expires":${JSON.stringify(expires)}`;
  return `{"key":${JSON.stringify(key)},"value":${value}${end}}`;
}

async function* readQuery(
  client: GridClient,
  oql: string,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  let list: string[] = [];
  for await (const row of client.queries.adhoc(oql, [], { codec: texts, signal }).stream()) {
    list.push(row);
    if (list.length < FIRST_PAGE) continue;
    yield list;
    list = [];
  }
  yield list;
}
