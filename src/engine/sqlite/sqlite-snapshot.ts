// A share in a read view. Scans read one batch per pull, of bounded bytes; what
// the reader does between pulls takes as long as it takes.

import type { KeyedEntry, KeyRange, Snapshot, StoredEntry } from '../engine.ts';
import { engineClosed, storeDamaged } from '../errors.ts';
import { isWholeRange, type KeyWindow, toKeyWindow, windowBehind } from '../key-window.ts';
import type { EntryBytes, JoinedTexts, ScanBatches, ScanForm } from '../scan-batches.ts';
import type { ReadView, RegionSizes } from './read-view.ts';
import { mayPass, toEngineError } from './sqlite-errors.ts';

const BATCH_BYTES = 128 * 1024;
/** The size of a batch is first checked at this many bytes. */
const UNCHECKED_BATCH_BYTES = 1024 * 1024;
const MAX_BATCH_ROWS = 2048;
const KEYS_PER_BATCH = 4096;
/** Looked up by one statement. */
const MAX_READ_KEYS = 256;

/** A key may begin with U+FEFF. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const COMMA = 0x2c;
const NO_BYTES = new Uint8Array(0);
const NO_TEXTS: JoinedTexts = { bytes: NO_BYTES, ends: new Uint32Array(0) };
const NO_ENTRIES: EntryBytes = { keys: NO_TEXTS, values: NO_TEXTS };

/** Where a scan goes on, and how many entries it may still give. */
interface ScanPlace {
  readonly window: KeyWindow;
  /** The key it goes on after, where it is an ascending scan of all that follows. */
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
    maxBytes: number = Number.POSITIVE_INFINITY,
  ): Promise<readonly (StoredEntry | undefined)[]> {
    return this.#readEach(region, { keys, maxBytes }, (view, id, some) => view.read(id, some));
  }

  async readBehind(
    region: string,
    keys: readonly string[],
    maxBytes: number = Number.POSITIVE_INFINITY,
  ): Promise<readonly (KeyedEntry | undefined)[]> {
    const readSome = (view: ReadView, id: number, some: readonly string[]) =>
      view.readBehind(id, some);
    return this.#readEach(region, { keys, maxBytes }, readSome);
  }

  /**
   * One element per key, up to the value that reaches `maxBytes`. So many are read at a time that
   * no more than `UNCHECKED_BATCH_BYTES` can come beyond it.
   */
  #readEach<Entry extends StoredEntry>(
    region: string,
    { keys, maxBytes }: { readonly keys: readonly string[]; readonly maxBytes: number },
    read: (view: ReadView, id: number, keys: readonly string[]) => readonly (Entry | undefined)[],
  ): readonly (Entry | undefined)[] {
    const found = this.#use((view) => view.findRegion(region));
    if (found === undefined) return keys.map(() => undefined);
    if (maxBytes === Number.POSITIVE_INFINITY)
      return this.#use((view) => read(view, found.id, keys));
    const safe = Math.floor(UNCHECKED_BATCH_BYTES / Math.max(1, found.largestValue));
    const atOnce = Math.max(1, Math.min(safe, MAX_READ_KEYS));
    const entries: (Entry | undefined)[] = [];
    let bytes = 0;
    for (let start = 0; start < keys.length; start += atOnce) {
      const some = keys.slice(start, start + atOnce);
      for (const entry of this.#use((view) => read(view, found.id, some))) {
        entries.push(entry);
        bytes += entry?.value.length ?? 0;
        if (bytes >= maxBytes) return entries;
      }
    }
    return entries;
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
      const place = { window, after: startOf(window), left };
      const { batch, count, last } = this.#use((view) => read(view, found, place));
      if (count > 0) yield batch;
      left -= count;
      seen += count;
      if (last === undefined) break;
      window = windowBehind(window, last);
    }
    // A page lost from the tree takes its entries along without an error.
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
      // Once more on the same view, which alone shows this moment: a failed read may pass.
      if (!mayPass(error) || !view.isPinned) throw toEngineError(error, this.#file);
      view.isSuspect = true;
    }
    try {
      return read(view);
    } catch (error) {
      throw toEngineError(error, this.#file);
    }
  }

  #refuse(region: string, seen: number, expected: number): never {
    const reason = `region (${region}) shows ${seen} of ${expected} entries`;
    throw storeDamaged(this.#file, reason);
  }
}

type Readers = {
  readonly [Form in ScanForm]: (
    view: ReadView,
    sizes: RegionSizes,
    place: ScanPlace,
  ) => BatchRead<ScanBatches[Form]>;
};

const READERS: Readers = { entries: readEntries, values: readValues, keys: readKeys };

function readEntries(view: ReadView, sizes: RegionSizes, place: ScanPlace): BatchRead<EntryBytes> {
  const rows = boundRows(view, sizes, place);
  if (place.after === undefined) {
    const { batch = NO_ENTRIES, isEnd, keys } = view.readWindow(sizes.id, place.window, rows);
    return { batch, count: keys.length, last: isEnd ? undefined : keys.at(-1) };
  }
  const batch = view.readBytes(sizes.id, place.after, rows) ?? NO_ENTRIES;
  return { batch, count: batch.keys.ends.length, last: lastText(batch.keys) };
}

function readValues(view: ReadView, sizes: RegionSizes, place: ScanPlace): BatchRead<Uint8Array> {
  const { after, left: most } = place;
  if (after === undefined) {
    const { batch, count, last } = readEntries(view, sizes, place);
    return { batch: toElements(batch.values), count, last };
  }
  const known = view.readKnown(sizes.id, after, most);
  const read =
    known ?? view.readElements(sizes.id, after, { rows: boundRows(view, sizes, place), most });
  return { batch: read?.values ?? NO_BYTES, count: read?.count ?? 0, last: read?.last };
}

function readKeys(
  view: ReadView,
  { id }: RegionSizes,
  { after, left, window }: ScanPlace,
): BatchRead<readonly string[]> {
  const rows = Math.min(left, KEYS_PER_BATCH);
  if (after === undefined) {
    const { isEnd, keys } = view.readWindowKeys(id, window, rows);
    return { batch: keys, count: keys.length, last: isEnd ? undefined : keys.at(-1) };
  }
  const keys = view.readKeys(id, after, rows);
  return { batch: keys, count: keys.length, last: keys.at(-1) };
}

/** Undefined where the statements that read all after a key will not do. */
function startOf({ lower, order, upper }: KeyWindow): string | undefined {
  if (order === 'desc' || upper !== undefined) return undefined;
  if (lower === undefined) return '';
  return lower.isIncluded ? undefined : lower.key;
}

/**
 * How many rows make about BATCH_BYTES. The number follows from the mean size;
 * where a few large values could make that far too much, their lengths are
 * read first, which does not touch the values.
 */
function boundRows(view: ReadView, region: RegionSizes, place: ScanPlace): number {
  const { id, entryCount, valueBytes, largestValue } = region;
  const mean = valueBytes / Math.max(1, entryCount);
  const wanted = Math.min(place.left, MAX_BATCH_ROWS);
  const rows = Math.max(1, Math.min(wanted, Math.ceil(BATCH_BYTES / Math.max(1, mean))));
  if (rows * largestValue <= UNCHECKED_BATCH_BYTES) return rows;
  return place.after === undefined
    ? view.countWindow(id, place.window, rows, BATCH_BYTES)
    : view.countWithin(id, place.after, rows, BATCH_BYTES);
}

/** One value per line becomes one per element, in place. */
function toElements({ bytes, ends }: JoinedTexts): Uint8Array {
  for (const end of ends.subarray(0, -1)) bytes[end] = COMMA;
  return bytes;
}

function lastText({ bytes, ends }: JoinedTexts): string | undefined {
  if (ends.length === 0) return undefined;
  const start = ends.length === 1 ? 0 : (ends[ends.length - 2] ?? 0) + 1;
  return decoder.decode(bytes.subarray(start));
}
