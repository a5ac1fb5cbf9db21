// A store without its writer thread. Opening it takes a few milliseconds, so that tests can try
// hundreds of thousands of damages.

import { describeRegions } from '../../../src/engine/describe-regions.ts';
import type {
  ChangesOutcome,
  Region,
  RegionDescription,
  Snapshot,
} from '../../../src/engine/engine.ts';
import { EntryCache } from '../../../src/engine/sqlite/entry-cache.ts';
import { ReadViews } from '../../../src/engine/sqlite/read-views.ts';
import type { RegionRow } from '../../../src/engine/sqlite/schema.ts';
import { fromErrorMessage, toEngineError } from '../../../src/engine/sqlite/sqlite-errors.ts';
import { SqliteRegion } from '../../../src/engine/sqlite/sqlite-region.ts';
import { SqliteSnapshot } from '../../../src/engine/sqlite/sqlite-snapshot.ts';
import { storeFiles } from '../../../src/engine/sqlite/store-files.ts';
import type { Submit } from '../../../src/engine/sqlite/store-request.ts';
import { Writer } from '../../../src/engine/sqlite/writer.ts';

/** The part of an engine that the tests of damage use. */
export interface TriedEngine {
  describeRegions(): Promise<readonly RegionDescription[]>;
  openRegion(name: string): Promise<Region | undefined>;
  openSnapshot(): Promise<Snapshot>;
  readChanges(afterSequence: number, limit: number): Promise<ChangesOutcome>;
}

export class DirectStore implements TriedEngine {
  readonly #file: string;
  readonly #writer: Writer;
  readonly #views: ReadViews;

  constructor(directory: string) {
    this.#file = storeFiles(directory).data;
    this.#writer = this.#translate(
      () =>
        new Writer({
          directory,
          durability: 'relaxed',
          maxChanges: 1000,
          maxChangeAgeMs: 1e12,
          testing: {},
        }),
    );
    try {
      this.#views = this.#translate(() => new ReadViews(this.#file, () => true));
    } catch (error) {
      this.#writer.close();
      throw error;
    }
  }

  async describeRegions(): Promise<readonly RegionDescription[]> {
    return describeRegions(this.#writer.regionRows());
  }

  async openRegion(name: string): Promise<Region | undefined> {
    const row = this.#findRow(name);
    return (
      row &&
      new SqliteRegion(row, {
        currentRow: () => this.#findRow(name),
        useView: (read) => this.#translate(() => read(this.#views.current)),
        cache: new EntryCache(),
        submit: this.#submit,
      })
    );
  }

  async openSnapshot(): Promise<Snapshot> {
    const view = this.#views.acquire();
    return new SqliteSnapshot(view, this.#file, () => this.#views.release(view));
  }

  async readChanges(afterSequence: number, limit: number): Promise<ChangesOutcome> {
    return this.#translate(() => this.#views.current.changes.read(afterSequence, limit));
  }

  close(): void {
    this.#views.close();
    this.#writer.close();
  }

  #findRow(name: string): RegionRow | undefined {
    return this.#writer.regionRows().find(({ definition }) => definition.name === name);
  }

  readonly #submit: Submit = async (request) => {
    const { replies } = this.#writer.run([request]);
    this.#views.advance();
    const [reply] = replies;
    // The writer answers each kind of request with its outcome.
    if (reply?.kind === 'done') return reply.outcome as never;
    throw reply === undefined ? new TypeError('no reply') : fromErrorMessage(reply.error);
  };

  #translate<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw toEngineError(error, this.#file);
    }
  }
}
