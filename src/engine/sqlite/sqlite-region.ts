// One region of the SQLite store. It reads from the current view and writes through the queue.
// Counts come from memory; each answer of the writer updates them.

import type {
  Change,
  Committed,
  FirstEntries,
  MaybePromise,
  Region,
  RegionDefinition,
  StoredEntry,
  ValuesTogether,
  WriteGuard,
  WriteOutcome,
} from '../engine.ts';
import { checkRead, MAX_READ_BYTES } from '../entry-limits.ts';
import { readTooLarge } from '../errors.ts';
import { toWriteRequest } from '../region-requests.ts';
import type { EntryCache } from './entry-cache.ts';
import type { ReadView } from './read-view.ts';
import type { RegionRow } from './schema.ts';
import type { Submit } from './store-request.ts';

export interface RegionContext {
  /** The region's row now, or undefined when it was destroyed; throws when the engine is closed. */
  readonly currentRow: (name: string, id: number) => RegionRow | undefined;
  readonly useView: <Result>(read: (view: ReadView) => Result) => Result;
  /** Of the current view. */
  readonly cache: EntryCache;
  readonly submit: Submit;
}

export class SqliteRegion implements Region {
  readonly definition: RegionDefinition;
  readonly #id: number;
  readonly #context: RegionContext;

  constructor(row: RegionRow, context: RegionContext) {
    this.definition = row.definition;
    this.#id = row.id;
    this.#context = context;
  }

  count(): MaybePromise<number> {
    return toMaybePromise(() => this.#row()?.entryCount ?? 0);
  }

  read(keys: readonly string[]): MaybePromise<readonly (StoredEntry | undefined)[]> {
    return toMaybePromise(() => {
      const row = this.#row();
      if (row === undefined) return keys.map(() => undefined);
      const { cache, useView } = this.#context;
      if (!mayBeTooLarge(row, keys)) {
        return useView((view) => cache.read(this.#id, keys, (missing) => view.read(row, missing)));
      }
      const entries = useView((view) => view.read(row, keys, MAX_READ_BYTES));
      if (entries.length < keys.length) throw readTooLarge(keys.length, MAX_READ_BYTES);
      checkRead(entries); // The last value may exceed the limit.
      return entries;
    });
  }

  readTogether(keys: readonly string[]): MaybePromise<ValuesTogether | undefined> {
    return toMaybePromise(() => {
      const row = this.#row();
      if (row === undefined || mayBeTooLarge(row, keys)) return undefined;
      const { cache, useView } = this.#context;
      return useView((view) =>
        cache.readTogether(this.#id, keys, (missing) => view.readTogether(row, missing)),
      );
    });
  }

  readFirst(limit: number): MaybePromise<FirstEntries> {
    return toMaybePromise(() => {
      const row = this.#row();
      if (row === undefined || limit <= 0) return { keys: [], values: new Uint8Array(0) };
      return this.#context.useView((view) => view.readFirst(row, limit));
    });
  }

  /** Not `async`: every write would pay for each promise between a request and the queue. */
  write(changes: readonly Change[], guards: readonly WriteGuard[] = []): Promise<WriteOutcome> {
    try {
      return this.#context.submit(toWriteRequest(this.#target, changes, guards));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  clear(): Promise<Committed> {
    return this.#context.submit({ kind: 'clear', ...this.#target });
  }

  get #target(): { readonly region: string; readonly regionId: number } {
    return { region: this.definition.name, regionId: this.#id };
  }

  #row(): RegionRow | undefined {
    return this.#context.currentRow(this.definition.name, this.#id);
  }
}

/** The result without a promise, or a rejection with the error that was thrown. */
function toMaybePromise<Result>(read: () => Result): MaybePromise<Result> {
  try {
    return read();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Estimates with the largest value that the region ever had. */
function mayBeTooLarge({ largestValue }: RegionRow, keys: readonly string[]): boolean {
  return keys.length * largestValue > MAX_READ_BYTES;
}
