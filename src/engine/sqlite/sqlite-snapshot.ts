// A snapshot is one user of a read view. Scans read one batch of bounded bytes per pull; between
// pulls the reader may take any time.

import type { EntryBytes, JoinedTexts } from '../../value/entry-bytes.ts';
import { printAmount } from '../../value/print-amount.ts';
import type { KeyedEntry, KeyRange, Snapshot, StoredEntry } from '../engine.ts';
import { engineClosed, storeDamaged } from '../errors.ts';
import { isWholeRange, type KeyWindow, toKeyWindow, windowAfter } from '../key-window.ts';
import {
  BATCH_BYTES,
  KEYS_PER_BATCH,
  MAX_BATCH_ROWS,
  type ScanBatches,
  type ScanForm,
} from '../scan-batches.ts';
import type { ElementBatch } from './batch-reader.ts';
import type { ReadView } from './read-view.ts';
import { type RegionSizes, UNCHECKED_BYTES } from './schema.ts';
import { mayBeTransient, toEngineError } from './sqlite-errors.ts';

/** Keeps U+FEFF, with which a key may begin. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const COMMA = 0x2c;
const NO_BYTES = new Uint8Array(0);
const NO_TEXTS: JoinedTexts = { bytes: NO_BYTES, ends: new Uint32Array(0) };
const NO_ENTRIES: EntryBytes = { keys: NO_TEXTS, values: NO_TEXTS };

/** Where a scan continues, and how many entries it may still return. */
interface ScanPosition {
  readonly window: KeyWindow;
  /** The key after which an ascending scan without an upper bound continues. */
  readonly after: string | undefined;
  readonly left: number;
}

interface BatchRead<Batch> {
  readonly batch: Batch;
  readonly count: number;
  /** Key of the last entry; undefined when nothing follows. */
  readonly last: string | undefined;
}

export class SqliteSnapshot implements Snapshot {
  readonly sequence: number;
  readonly #file: string;
  readonly #onClose: () => void;
  #view: ReadView | undefined;

  constructor(view: ReadView, file: string, onClose: () => void) {
    this.sequence = view.sequence;
    this.#view = view;
    this.#file = file;
    this.#onClose = onClose;
  }

  count(region: string): number | undefined {
    return this.#use((view) => view.findRegion(region)?.entryCount);
  }

  async read(
    region: string,
    keys: readonly string[],
    maxBytes?: number,
  ): Promise<readonly (StoredEntry | undefined)[]> {
    return this.#use((view) => {
      const found = view.findRegion(region);
      return found === undefined ? keys.map(() => undefined) : view.read(found, keys, maxBytes);
    });
  }

  async readNext(
    region: string,
    keys: readonly string[],
    maxBytes?: number,
  ): Promise<readonly (KeyedEntry | undefined)[]> {
    return this.#use((view) => {
      const found = view.findRegion(region);
      return found === undefined ? keys.map(() => undefined) : view.readNext(found, keys, maxBytes);
    });
  }

  async *scan<Form extends ScanForm>(
    region: string,
    range: KeyRange,
    form: Form,
  ): AsyncGenerator<ScanBatches[Form]> {
    const read = READERS[form];
    const found = this.#use((view) => view.findRegion(region));
    if (found === undefined) return;
    let window = toKeyWindow(range);
    let left = range.limit ?? Number.POSITIVE_INFINITY;
    let seen = 0;
    while (left > 0) {
      const position = { window, after: startOf(window), left };
      const { batch, count, last } = this.#use((view) => read(view, found, position));
      if (count > 0) yield batch;
      left -= count;
      seen += count;
      if (last === undefined) break;
      window = windowAfter(window, last);
    }
    // A page that is missing from the tree loses its entries without an error from SQLite.
    if (!isWholeRange(range) || left <= 0) return;
    if (seen !== found.entryCount) this.#refuse(region, seen, found.entryCount);
  }

  close(): void {
    if (this.#view === undefined) return;
    this.#view = undefined;
    this.#onClose();
  }

  #use<Result>(read: (view: ReadView) => Result): Result {
    const view = this.#view;
    if (view === undefined) throw engineClosed();
    try {
      return read(view);
    } catch (error) {
      // Retry on the same view, for no other shows this commit: the failure may be transient.
      if (!mayBeTransient(error) || !view.isPinned) throw toEngineError(error, this.#file);
      view.isSuspect = true;
    }
    try {
      return read(view);
    } catch (error) {
      throw toEngineError(error, this.#file);
    }
  }

  #refuse(region: string, seen: number, expected: number): never {
    const reason = `region (${region}) shows ${seen} of ${printAmount(expected, 'entry', 'entries')}`;
    throw storeDamaged(this.#file, reason);
  }
}

type Readers = {
  readonly [Form in ScanForm]: (
    view: ReadView,
    sizes: RegionSizes,
    position: ScanPosition,
  ) => BatchRead<ScanBatches[Form]>;
};

const READERS: Readers = { entries: readEntries, values: readValues, keys: readKeys };

function readEntries(
  view: ReadView,
  sizes: RegionSizes,
  position: ScanPosition,
): BatchRead<EntryBytes> {
  const rows = boundRows(view, sizes, position);
  const { batches, window } = view.statementsOf(sizes);
  if (position.after === undefined) {
    const { batch = NO_ENTRIES, isEnd, keys } = window.readEntries(position.window, rows);
    return { batch, count: keys.length, last: isEnd ? undefined : keys.at(-1) };
  }
  const batch = batches.readEntries(position.after, rows) ?? NO_ENTRIES;
  return { batch, count: batch.keys.ends.length, last: lastText(batch.keys) };
}

function readValues(
  view: ReadView,
  sizes: RegionSizes,
  position: ScanPosition,
): BatchRead<Uint8Array> {
  const { after, left: most } = position;
  if (after === undefined) {
    const { batch, count, last } = readEntries(view, sizes, position);
    return { batch: toElements(batch.values), count, last };
  }
  const { batches } = view.statementsOf(sizes);
  const readNew = (): ElementBatch | undefined => {
    const rows = boundRows(view, sizes, position);
    return batches.readElements(after, { rows, most }, view.sequence);
  };
  const read = batches.readKnown(after, most, view.sequence) ?? readNew();
  return { batch: read?.values ?? NO_BYTES, count: read?.count ?? 0, last: read?.last };
}

function readKeys(
  view: ReadView,
  sizes: RegionSizes,
  { left, window }: ScanPosition,
): BatchRead<readonly string[]> {
  const rows = Math.min(left, KEYS_PER_BATCH);
  const { isEnd, keys } = view.statementsOf(sizes).window.readKeys(window, rows);
  return { batch: keys, count: keys.length, last: isEnd ? undefined : keys.at(-1) };
}

/** Undefined when the scan needs more than the statements that read everything after a key. */
function startOf({ lower, order, upper }: KeyWindow): string | undefined {
  if (order === 'desc' || upper !== undefined) return undefined;
  if (lower === undefined) return '';
  return lower.isIncluded ? undefined : lower.key;
}

/**
 * The number of rows that make about BATCH_BYTES, from the mean size. Where a few large values could
 * exceed that by far, lengths are read first, which does not touch the values.
 */
function boundRows(view: ReadView, region: RegionSizes, position: ScanPosition): number {
  const { entryCount, valueBytes, largestValue } = region;
  const mean = valueBytes / Math.max(1, entryCount);
  const wanted = Math.min(position.left, MAX_BATCH_ROWS);
  const rows = Math.max(1, Math.min(wanted, Math.ceil(BATCH_BYTES / Math.max(1, mean))));
  if (rows * largestValue <= UNCHECKED_BYTES) return rows;
  return view.statementsOf(region).window.countWithin(position.window, rows, BATCH_BYTES);
}

/** Replaces line feeds by commas in place, so that lines become elements of a JSON array. */
function toElements({ bytes, ends }: JoinedTexts): Uint8Array {
  for (const end of ends.subarray(0, -1)) bytes[end] = COMMA;
  return bytes;
}

function lastText({ bytes, ends }: JoinedTexts): string | undefined {
  if (ends.length === 0) return undefined;
  const start = ends.length === 1 ? 0 : (ends[ends.length - 2] ?? 0) + 1;
  return decoder.decode(bytes.subarray(start));
}
