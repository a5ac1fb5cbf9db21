// Writes the rows of a file into a region, in batches and in order. It continues while other
// screens are shown.

import { signal } from '@preact/signals';
import { type BulkFailure, type BulkItem, texts } from '../../../src/client/index.ts';
import { loadRegions } from '../../api/regions.ts';
import { call } from '../../api/session.ts';
import { type ReadOptions, readRows } from './read-file.ts';
import type { FileRow } from './to-item.ts';
import { type KeyChoice, toItem } from './to-item.ts';

export interface ImportRequest extends Omit<ReadOptions, 'onBytes'> {
  readonly file: File;
  readonly region: string;
  readonly key: KeyChoice;
  readonly existing: 'overwrite' | 'skip';
}

export interface ImportFailure {
  readonly rowNumber: number;
  readonly key: string | undefined;
  readonly reason: string;
}

export interface ImportProgress {
  readonly bytes: number;
  readonly succeeded: number;
  /** Skipped, because their keys existed. */
  readonly skipped: number;
  /** Left out, because they had expired. */
  readonly expired: number;
  readonly failed: number;
  /** The first failures. */
  readonly failures: readonly ImportFailure[];
  readonly ms: number;
  /** Rows up to this number are done. */
  readonly rowNumber: number;
}

export interface ImportState {
  readonly kind: 'running' | 'done' | 'cancelled' | 'stopped';
  readonly request: ImportRequest;
  readonly progress: ImportProgress;
  /** Why it stopped. */
  readonly error?: unknown;
}

/** The service commits this many at once. */
const BATCH_ROWS = 1000;
const BATCH_CHARACTERS = 1024 * 1024;
const MAX_FAILURES = 100;
const NOTHING: ImportProgress = {
  bytes: 0,
  succeeded: 0,
  skipped: 0,
  expired: 0,
  failed: 0,
  failures: [],
  ms: 0,
  rowNumber: 0,
};

export const currentImport = signal<ImportState | undefined>(undefined);
let stop = new AbortController();

export function cancelImport(): void {
  stop.abort();
}

/** `progress`: of an import that stopped; skips rows that are done. */
export async function startImport(
  request: ImportRequest,
  progress: ImportProgress = NOTHING,
): Promise<void> {
  if (currentImport.value?.kind === 'running') return;
  const controller = new AbortController();
  stop = controller;
  const job = new Import(request, progress, controller.signal);
  currentImport.value = { kind: 'running', request, progress };
  addEventListener('beforeunload', keepPage);
  let end: Omit<ImportState, 'request' | 'progress'>;
  try {
    await job.run((progress) => {
      currentImport.value = { kind: 'running', request, progress };
    });
    end = { kind: 'done' };
  } catch (error) {
    end = controller.signal.aborted ? { kind: 'cancelled' } : { kind: 'stopped', error };
  }
  removeEventListener('beforeunload', keepPage);
  currentImport.value = { ...end, request, progress: job.progress };
  // The entry counts have changed; the banner reports a lost connection.
  await loadRegions().catch(() => undefined);
}

/** Makes the browser confirm leaving the page. */
function keepPage(event: Event): void {
  event.preventDefault();
}

interface Batch {
  readonly items: BulkItem<string>[];
  /** Of each item. */
  readonly rowNumbers: number[];
  readonly problems: ImportFailure[];
  expired: number;
  characters: number;
  lastRowNumber: number;
}

class Import {
  readonly #request: ImportRequest;
  readonly #signal: AbortSignal;
  readonly #begun: number;
  #bytes = 0;
  progress: ImportProgress;

  constructor(request: ImportRequest, progress: ImportProgress, signal: AbortSignal) {
    this.#request = request;
    this.#signal = signal;
    this.#begun = performance.now() - progress.ms;
    this.progress = progress;
  }

  async run(onProgress: (progress: ImportProgress) => void): Promise<void> {
    const done = this.progress.rowNumber;
    const onBytes = (bytes: number): void => {
      this.#bytes = bytes;
    };
    let batch = newBatch();
    const send = async (): Promise<void> => {
      await this.#send(batch);
      batch = newBatch();
      onProgress(this.progress);
    };
    for await (const rows of readRows(this.#request.file, { ...this.#request, onBytes })) {
      this.#signal.throwIfAborted();
      for (const row of rows) {
        if (row.rowNumber <= done) continue;
        this.#add(batch, row);
        if (isFull(batch)) await send();
      }
    }
    this.#bytes = this.#request.file.size;
    await send();
  }

  #add(batch: Batch, row: FileRow): void {
    const { existing, key: choice } = this.#request;
    const item = toItem(row, choice);
    batch.lastRowNumber = row.rowNumber;
    if (item.problem !== undefined) {
      batch.problems.push({ rowNumber: row.rowNumber, key: undefined, reason: item.problem });
      return;
    }
    const { expires, key, value } = item;
    const ttl = expires === undefined ? undefined : (expires - Date.now()) / 1000;
    if (ttl !== undefined && ttl <= 0) {
      batch.expired += 1;
      return;
    }
    const op = existing === 'skip' ? 'create' : 'put';
    batch.items.push({ key, value, op, ...(ttl === undefined ? {} : { ttl }) });
    batch.rowNumbers.push(row.rowNumber);
    batch.characters += value.length;
  }

  async #send(batch: Batch): Promise<void> {
    const { items, lastRowNumber, problems, rowNumbers } = batch;
    const { existing, region } = this.#request;
    const options = { signal: this.#signal };
    const summary =
      items.length === 0
        ? { succeeded: 0, failures: [] }
        : await call((client) => client.region(region, texts).bulk(items, options));
    const refused = summary.failures.filter(
      ({ code }) => existing === 'overwrite' || code !== 'grid/keys-exist',
    );
    const failures = [...problems, ...refused.map((failure) => toFailure(failure, rowNumbers))];
    const before = this.progress;
    this.progress = {
      bytes: this.#bytes,
      succeeded: before.succeeded + summary.succeeded,
      skipped: before.skipped + summary.failures.length - refused.length,
      expired: before.expired + batch.expired,
      failed: before.failed + failures.length,
      failures: [...before.failures, ...failures.sort((a, b) => a.rowNumber - b.rowNumber)].slice(
        0,
        MAX_FAILURES,
      ),
      ms: performance.now() - this.#begun,
      rowNumber: Math.max(before.rowNumber, lastRowNumber),
    };
  }
}

function newBatch(): Batch {
  return { items: [], rowNumbers: [], problems: [], expired: 0, characters: 0, lastRowNumber: 0 };
}

function isFull({ characters, expired, items, problems }: Batch): boolean {
  const rows = items.length + problems.length + expired;
  return rows >= BATCH_ROWS || characters >= BATCH_CHARACTERS;
}

function toFailure(
  { code, index, key, message }: BulkFailure,
  rowNumbers: readonly number[],
): ImportFailure {
  return { rowNumber: rowNumbers[index] ?? 0, key, reason: `${message} (${code})` };
}
