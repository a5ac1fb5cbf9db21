// A snapshot of the store is a connection in a transaction. Small scans are read in pages of rows.
// Whole scans of larger regions use COPY, on a second connection that imports the same snapshot.

import type { Client } from 'pg';
import { printAmount } from '../../value/print-amount.ts';
import type { KeyedEntry, KeyRange, Snapshot, StoredEntry } from '../engine.ts';
import { engineClosed, storeDamaged } from '../errors.ts';
import { toBatch } from '../joined-texts.ts';
import { decodeKey, encodeKey } from '../key-encoding.ts';
import { isWholeRange, type KeyWindow, toKeyWindow, windowAfter } from '../key-window.ts';
import {
  BATCH_BYTES,
  KEYS_PER_BATCH,
  MAX_BATCH_ROWS,
  type ScanBatches,
  type ScanForm,
} from '../scan-batches.ts';
import { textArray } from './array-parameter.ts';
import { COPIED_COLUMNS, type CopiedForm, toBatches, toCopiedBatch } from './copied-entries.ts';
import { type CopiedRow, copyOut } from './copy-out.ts';
import { toEngineError } from './postgres-errors.ts';
import { queryRows, type RawRow, toEntry } from './query-rows.ts';
import type { SnapshotPool } from './snapshot-pool.ts';
import type { RegionState, StoreState } from './store-state.ts';
import { entriesStatement, keysStatement, type WindowStatement } from './window-statements.ts';

/** From this size on, COPY is worth a second connection. */
const COPY_BYTES = 1024 * 1024;

// Only values that are sent are read: the length of a large value is known without reading it.
const readEach = (condition: string): string => `SELECT version, value, key FROM (
    SELECT i.n, e.version, e.value, e.key,
           sum(coalesce(octet_length(e.value), 0)) OVER (ORDER BY i.n) - coalesce(octet_length(e.value), 0) AS before
    FROM unnest($2::text[]) WITH ORDINALITY i(key, n)
    LEFT JOIN LATERAL (
      SELECT x.version, x.value, x.key FROM entries x WHERE x.region = $1 AND ${condition} LIMIT 1) e ON true) f
  WHERE before < $3 OR n = 1 ORDER BY n`;
const READ_KEYS = readEach('x.key = i.key');
const READ_NEXT = readEach('x.key > i.key ORDER BY x.key');

/** Where a scan continues, and how many entries it may still return. */
interface ScanPosition {
  readonly window: KeyWindow;
  readonly left: number;
}

type Scans = {
  readonly [Form in ScanForm]: (
    state: RegionState,
    range: KeyRange,
  ) => AsyncGenerator<ScanBatches[Form]>;
};

type Page = readonly (readonly [key: string, value: string])[];

export class PostgresSnapshot implements Snapshot {
  readonly sequence: number;
  readonly #state: StoreState;
  readonly #pool: SnapshotPool;
  readonly #address: string;
  readonly #onClose: () => void;
  #client: Client | undefined;
  /** Statements of a snapshot run one after another, and end before its connection is released. */
  #work: Promise<unknown> = Promise.resolve();
  #isBroken = false;
  readonly #scans: Scans = {
    entries: (state, range) => this.#batches(state, range, 'entries'),
    values: (state, range) => this.#batches(state, range, 'values'),
    keys: (state, range) => this.#keys(state, range),
  };

  constructor(parts: {
    readonly client: Client;
    readonly state: StoreState;
    readonly pool: SnapshotPool;
    readonly address: string;
    readonly onClose: () => void;
  }) {
    this.sequence = parts.state.sequence;
    this.#client = parts.client;
    this.#state = parts.state;
    this.#pool = parts.pool;
    this.#address = parts.address;
    this.#onClose = parts.onClose;
  }

  count(region: string): number | undefined {
    this.#requireOpen();
    return this.#state.find(region)?.entryCount;
  }

  async read(
    region: string,
    keys: readonly string[],
    maxBytes: number = Number.MAX_SAFE_INTEGER,
  ): Promise<readonly (StoredEntry | undefined)[]> {
    const rows = await this.#readEach({ name: 'snapshot-read', text: READ_KEYS }, region, {
      keys,
      maxBytes,
    });
    return rows.map(toEntry);
  }

  async readNext(
    region: string,
    keys: readonly string[],
    maxBytes: number = Number.MAX_SAFE_INTEGER,
  ): Promise<readonly (KeyedEntry | undefined)[]> {
    const rows = await this.#readEach({ name: 'snapshot-next', text: READ_NEXT }, region, {
      keys,
      maxBytes,
    });
    return rows.map(([version, value, key]) =>
      value == null || key == null
        ? undefined
        : { key: decodeKey(key), value, version: Number(version) },
    );
  }

  async *scan<Form extends ScanForm>(
    region: string,
    range: KeyRange,
    form: Form,
  ): AsyncGenerator<ScanBatches[Form]> {
    this.#requireOpen();
    const state = this.#state.find(region);
    if (state !== undefined) yield* this.#scans[form](state, range);
  }

  close(): void {
    const client = this.#client;
    if (client === undefined) return;
    this.#client = undefined;
    this.#onClose();
    const end = this.#work
      .catch(() => undefined)
      .then(() => {
        if (this.#isBroken) throw engineClosed();
        return client.query('ROLLBACK');
      });
    this.#pool.releaseAfter(client, 'snapshot', end);
  }

  /** One row per key, empty when nothing is found; fewer rows when they reach `maxBytes`. */
  async #readEach(
    { name, text }: { readonly name: string; readonly text: string },
    region: string,
    { keys, maxBytes }: { readonly keys: readonly string[]; readonly maxBytes: number },
  ): Promise<readonly RawRow[]> {
    this.#requireOpen();
    const dataId = this.#state.find(region)?.dataId;
    if (dataId === undefined || keys.length === 0) return keys.map(() => []);
    return this.#query(name, text, [dataId, textArray(keys.map(encodeKey)), maxBytes]);
  }

  async *#batches<Form extends CopiedForm>(
    state: RegionState,
    range: KeyRange,
    form: Form,
  ): AsyncGenerator<ScanBatches[Form]> {
    const copied = await this.#copy(state, range, form);
    if (copied === undefined) {
      for await (const page of this.#pages(state, range)) yield toBatch(page, form);
    } else for await (const rows of copied) yield toCopiedBatch(rows, form);
  }

  #keys({ dataId }: RegionState, range: KeyRange): AsyncGenerator<readonly string[]> {
    return this.#inPages(range, KEYS_PER_BATCH, async ({ left, window }) => {
      const wanted = Math.min(left, KEYS_PER_BATCH);
      const rows = await this.#run(keysStatement(dataId, window, wanted));
      const keys = rows.map(([key]) => decodeKey(key ?? ''));
      return { batch: keys, keys, isFull: keys.length === KEYS_PER_BATCH };
    });
  }

  #pages(state: RegionState, range: KeyRange): AsyncGenerator<Page> {
    const mean = state.valueBytes / Math.max(1, state.entryCount);
    const most = Math.max(1, Math.min(MAX_BATCH_ROWS, Math.ceil(BATCH_BYTES / Math.max(1, mean))));
    return this.#inPages(range, most, async ({ left, window }) => {
      const wanted = { rows: Math.min(left, most), maxBytes: 2 * BATCH_BYTES };
      const rows = await this.#run(entriesStatement(state.dataId, window, wanted));
      const batch = rows.map(([key, value]): readonly [string, string] => [
        decodeKey(key ?? ''),
        value ?? '',
      ]);
      return { batch, keys: batch.map(([key]) => key), isFull: batch.length > 0 };
    });
  }

  async *#inPages<Batch>(
    range: KeyRange,
    most: number,
    read: (position: ScanPosition) => Promise<{
      readonly batch: Batch;
      readonly keys: readonly string[];
      /** Whether more may follow. */
      readonly isFull: boolean;
    }>,
  ): AsyncGenerator<Batch> {
    let window = toKeyWindow(range);
    let left = Math.min(range.limit ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    while (left > 0 && most > 0) {
      const { batch, isFull, keys } = await read({ window, left });
      if (keys.length > 0) yield batch;
      this.#requireOpen();
      left -= keys.length;
      const last = keys.at(-1);
      if (last !== undefined) window = windowAfter(window, last);
      if (!isFull) return;
    }
  }

  /** Undefined where pages are cheaper. */
  async #copy(
    { dataId, definition, entryCount, valueBytes }: RegionState,
    range: KeyRange,
    form: CopiedForm,
  ): Promise<AsyncIterable<readonly CopiedRow[]> | undefined> {
    if (!isWholeRange(range) || range.limit !== undefined || range.order === 'desc')
      return undefined;
    if (valueBytes < COPY_BYTES) return undefined;
    const copier = await this.#pool.acquireForCopy();
    if (copier === undefined) return undefined;
    try {
      const [row] = await this.#query('snapshot-export', 'SELECT pg_export_snapshot()', []);
      await copier.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await copier.query(`SET TRANSACTION SNAPSHOT '${row?.[0] ?? ''}'`);
    } catch (error) {
      this.#pool.release(copier, 'copy', 'broken');
      throw toEngineError(error, this.#address);
    }
    const rows = copyOut(
      copier,
      `COPY (SELECT ${COPIED_COLUMNS[form]} FROM entries WHERE region = ${dataId} ORDER BY key) TO STDOUT (FORMAT binary)`,
    );
    return toBatches(rows, {
      requireOpen: () => this.#requireOpen(),
      translate: (error) => toEngineError(error, this.#address),
      onEnd: (isWhole, count) => {
        if (isWhole) this.#pool.releaseAfter(copier, 'copy', copier.query('ROLLBACK'));
        else this.#pool.release(copier, 'copy', 'broken');
        if (isWhole && count !== entryCount) {
          const reason = `region (${definition.name}) shows ${count} of ${printAmount(entryCount, 'entry', 'entries')}`;
          throw storeDamaged(this.#address, reason);
        }
      },
    });
  }

  #run({ name, text, values }: WindowStatement): Promise<readonly RawRow[]> {
    return this.#query(name, text, values);
  }

  async #query(name: string, text: string, values: readonly unknown[]): Promise<readonly RawRow[]> {
    const client = this.#requireOpen();
    const work = this.#work
      .catch(() => undefined)
      .then(() => {
        this.#requireOpen();
        return queryRows(client, { name, text, values });
      });
    this.#work = work;
    try {
      return await work;
    } catch (error) {
      this.#isBroken = true;
      throw toEngineError(error, this.#address);
    }
  }

  #requireOpen(): Client {
    if (this.#client === undefined) throw engineClosed();
    return this.#client;
  }
}
