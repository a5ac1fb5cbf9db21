// The result of a live query as of one sequence, and its log of changes. Rows are replaced as a
// whole after a run, or one by one as entries change; both add a batch to the log.

import { type Delta, DeltaLog } from './delta-log.ts';
import type { LiveRow } from './live-row.ts';
import { SortKinds } from './sort-kinds.ts';

/** Minimum size of the log; beyond it, the log is at most as large as the result. */
const MIN_DELTAS = 10_000;
const MIN_SIZE = 2 * 2 ** 20;
/** Bytes of a row besides its texts: the object, and its slot in the map. */
const ROW_OVERHEAD = 100;

/** The change of one entry: its rows now, and the identities of rows it may have had before. */
export interface EntryChange {
  readonly rows: readonly LiveRow[];
  readonly ids: Iterable<string>;
}

export class LiveResult {
  readonly log: DeltaLog = new DeltaLog();
  /** Whether the sequence alone determines the rows; false if the query reads the clock. */
  isResumable = true;
  #rows = new Map<string, LiveRow>();
  #kinds = new SortKinds();
  #sequence = 0;
  #size = 0;
  #failure: { readonly error: unknown } | undefined;
  readonly #listeners = new Set<() => void>();

  /** The last commit that the rows show. */
  get sequence(): number {
    return this.#sequence;
  }

  get rowCount(): number {
    return this.#rows.size;
  }

  /** About as much memory as rows and log take. */
  get sizeBytes(): number {
    return this.#size + this.log.size + ROW_OVERHEAD * this.#rows.size;
  }

  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Whether the sort values have no common order, so that ORDER BY would fail. */
  get hasClash(): boolean {
    return this.#kinds.hasClash();
  }

  /** The rows now, in no particular order. Later changes do not show in it. */
  listRows(): readonly LiveRow[] {
    return [...this.#rows.values()];
  }

  /**
   * Replaces the rows by those of a run. With `reset`, consumers get a new snapshot instead of
   * deltas.
   */
  replaceAll(sequence: number, rows: readonly LiveRow[], mode: 'difference' | 'reset'): void {
    const before = this.#rows;
    const after = new Map(rows.map((row) => [row.id, row]));
    const deltas = mode === 'reset' ? [] : findDeltas(before, after);
    this.#rows = after;
    this.#kinds = new SortKinds();
    this.#size = 0;
    for (const row of rows) this.#count(row, 1);
    if (mode === 'reset') this.log.restart();
    this.#finish(sequence, deltas);
  }

  /** Applies the rows of changed entries; `isCleared`: all earlier rows are removed. */
  changeEntries(sequence: number, changes: readonly EntryChange[], isCleared: boolean): void {
    const deltas: Delta[] = [];
    if (isCleared) for (const row of this.#rows.values()) this.#remove(row, deltas);
    for (const { ids, rows } of changes) this.#changeEntry(rows, ids, deltas);
    // A cleared region may have been filled again.
    this.#finish(sequence, isCleared ? joinDeltas(deltas) : deltas);
  }

  /** Ends every consumer with this error. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  /** Calls `listener` at each batch and failure. Returns a function that unsubscribes. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }

  #changeEntry(rows: readonly LiveRow[], ids: Iterable<string>, deltas: Delta[]): void {
    for (const row of rows) this.#put(row, deltas);
    let number = 0;
    for (const id of ids) {
      number += 1;
      if (number <= rows.length) continue;
      const row = this.#rows.get(id);
      if (row === undefined) return;
      this.#remove(row, deltas);
    }
  }

  #put(row: LiveRow, deltas: Delta[]): void {
    const before = this.#rows.get(row.id);
    if (before !== undefined) this.#count(before, -1);
    this.#count(row, 1);
    this.#rows.set(row.id, row);
    if (before?.row === row.row) return;
    deltas.push({ kind: before === undefined ? 'enter' : 'update', id: row.id, row: row.row });
  }

  #remove(row: LiveRow, deltas: Delta[]): void {
    this.#count(row, -1);
    this.#rows.delete(row.id);
    deltas.push({ kind: 'leave', id: row.id });
  }

  #count(row: LiveRow, sign: 1 | -1): void {
    this.#size += sign * (row.id.length + row.row.length);
    if (row.kinds !== '') this.#kinds.count(row.kinds, sign);
  }

  #finish(sequence: number, deltas: readonly Delta[]): void {
    if (deltas.length > 0) {
      this.log.append(deltas, {
        deltas: Math.max(MIN_DELTAS, this.#rows.size),
        size: Math.max(MIN_SIZE, this.#size),
      });
    }
    this.#sequence = sequence;
    if (this.isResumable) this.log.mark(sequence);
    this.#wake();
  }
}

/** Removed rows come first, for clients that read two ids as one number that they round. */
function findDeltas(
  before: ReadonlyMap<string, LiveRow>,
  after: ReadonlyMap<string, LiveRow>,
): readonly Delta[] {
  const deltas: Delta[] = [];
  for (const id of before.keys()) if (!after.has(id)) deltas.push({ kind: 'leave', id });
  for (const { id, row } of after.values()) {
    const old = before.get(id);
    if (old === undefined) deltas.push({ kind: 'enter', id, row });
    else if (old.row !== row) deltas.push({ kind: 'update', id, row });
  }
  return deltas;
}

/** A row that was removed and added within one batch counts as updated. */
function joinDeltas(deltas: readonly Delta[]): readonly Delta[] {
  const latest = new Map<string, Delta>();
  for (const delta of deltas) {
    const isReadded = delta.kind === 'enter' && latest.get(delta.id)?.kind === 'leave';
    latest.set(delta.id, isReadded ? { ...delta, kind: 'update' } : delta);
  }
  return [...latest.values()];
}
