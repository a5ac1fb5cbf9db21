// A share in a read view. Scans read one batch per pull, of bounded bytes; what
// the reader does between pulls takes as long as it takes.

import type { EntryBatch, KeyRange, Snapshot, StoredEntry } from '../engine.ts';
import { engineClosed, storeDamaged } from '../errors.ts';
import type { ReadView, RegionSizes } from './read-view.ts';
import { toEngineError } from './sqlite-errors.ts';

const BATCH_BYTES = 128 * 1024;
/** A batch may come to this before its size is looked at first. */
const UNCHECKED_BATCH_BYTES = 1024 * 1024;
const MAX_BATCH_ROWS = 2048;
const KEYS_PER_BATCH = 4096;
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
  ): Promise<readonly (StoredEntry | undefined)[]> {
    return this.#use((view) => {
      const found = view.findRegion(region);
      return found === undefined ? keys.map(() => undefined) : view.read(found.id, keys);
    });
  }

  async *scan(region: string, range: KeyRange): AsyncGenerator<EntryBatch> {
    const found = this.#use((view) => view.findRegion(region));
    if (found === undefined) return;
    let after = range.after ?? '';
    let left = range.limit ?? Number.POSITIVE_INFINITY;
    let seen = 0;
    while (left > 0) {
      const wanted = Math.min(left, MAX_BATCH_ROWS);
      const batch = this.#use((view) => readBoundedBatch(view, found, after, wanted));
      const last = batch.keys.at(-1);
      if (last === undefined) break;
      yield batch;
      after = last;
      left -= batch.keys.length;
      seen += batch.keys.length;
    }
    // A page lost from the tree takes its entries along without an error of its own.
    if (isWhole(range) && seen !== found.entryCount) this.#refuse(region, seen, found.entryCount);
  }

  async *scanKeys(region: string, range: KeyRange): AsyncGenerator<readonly string[]> {
    const found = this.#use((view) => view.findRegion(region));
    if (found === undefined) return;
    let after = range.after ?? '';
    let left = range.limit ?? Number.POSITIVE_INFINITY;
    let seen = 0;
    while (left > 0) {
      const wanted = Math.min(left, KEYS_PER_BATCH);
      const keys = this.#use((view) => view.readKeys(found.id, after, wanted));
      const last = keys.at(-1);
      if (last === undefined) break;
      yield keys;
      after = last;
      left -= keys.length;
      seen += keys.length;
    }
    if (isWhole(range) && seen !== found.entryCount) this.#refuse(region, seen, found.entryCount);
  }

  close(): void {
    if (this.#view === undefined) return;
    this.#view = undefined;
    this.#onClose();
  }

  #use<Result>(read: (view: ReadView) => Result): Result {
    if (this.#view === undefined) throw engineClosed();
    try {
      return read(this.#view);
    } catch (error) {
      throw toEngineError(error, this.#file);
    }
  }

  #refuse(region: string, seen: number, expected: number): never {
    const reason = `region (${region}) shows ${seen} of ${expected} entries`;
    throw storeDamaged(this.#file, reason);
  }
}

/**
 * About BATCH_BYTES of entries. The number of rows follows from the mean size;
 * where a few large values could make that far too much, their lengths are
 * read first, which does not touch the values.
 */
function readBoundedBatch(
  view: ReadView,
  region: RegionSizes,
  after: string,
  wanted: number,
): EntryBatch {
  const { id, entryCount, valueBytes, largestValue } = region;
  const mean = valueBytes / Math.max(1, entryCount);
  const rows = Math.max(1, Math.min(wanted, Math.ceil(BATCH_BYTES / Math.max(1, mean))));
  const isBounded = rows * largestValue <= UNCHECKED_BATCH_BYTES;
  return view.readBatch(
    id,
    after,
    isBounded ? rows : view.countWithin(id, after, rows, BATCH_BYTES),
  );
}

function isWhole(range: KeyRange): boolean {
  return range.after === undefined && range.limit === undefined;
}
