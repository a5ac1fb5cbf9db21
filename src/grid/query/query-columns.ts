// The columns of all regions, in step with the engine's commits, and queries over them.

import { ColumnStore } from '../../columns/index.ts';
import type { Engine } from '../../engine/engine.ts';
import { type BoundQuery, type Catalog, executeQuery, type RunContext } from '../../oql/index.ts';
import { createSnapshotSource } from '../snapshot-source.ts';
import { createColumnSource, pinRegions } from './open-columns.ts';

/** Result rows as JSON, joined by commas. */
export type ResultPiece =
  ReturnType<typeof executeQuery> extends AsyncGenerator<infer Piece> ? Piece : never;

export class QueryColumns {
  readonly #engine: Engine;
  readonly #store: ColumnStore;
  readonly #unsubscribe: () => void;

  constructor(engine: Engine, budgetBytes: number) {
    this.#engine = engine;
    this.#store = new ColumnStore(budgetBytes, engine.stats().sequence);
    this.#unsubscribe = engine.subscribe((commit) => this.#store.commit(commit));
  }

  /** Runs a query on one snapshot, which is held until the last row was taken. */
  async *execute(
    query: BoundQuery,
    catalog: Catalog,
    context: RunContext,
  ): AsyncGenerator<ResultPiece> {
    const pins = pinRegions(this.#store, query.regions);
    try {
      const snapshot = await this.#engine.openSnapshot();
      try {
        const source = createSnapshotSource(snapshot, catalog);
        yield* executeQuery(query, createColumnSource(snapshot, pins), source, context);
      } finally {
        snapshot.close();
      }
    } finally {
      for (const pin of pins.values()) pin.release();
    }
  }

  /** Memory in use. */
  sizeBytes(): number {
    return this.#store.sizeBytes();
  }

  close(): void {
    this.#unsubscribe();
  }
}
