// Tracks the last change of each region, for entity tags of query results: a result is the same
// until a region that the query reads changes. Tracking starts with the first call; until then a
// region counts as changed by the latest commit.

import type { Engine } from '../../engine/engine.ts';
import type { QueryParts } from './query-parts.ts';
import type { QueryRequest } from './query-runner.ts';

export class RegionStates {
  readonly #engine: Engine;
  readonly #shared: QueryParts;
  readonly #changed = new Map<string, number>();
  #base = 0;
  /** Part of the tag, because after a reset the same sequences may have other data. */
  #resets = 0;
  #unsubscribe: (() => void) | undefined;

  constructor(engine: Engine, shared: QueryParts) {
    this.#engine = engine;
    this.#shared = shared;
  }

  /**
   * The state that a query result depends on, apart from text and parameters: each region it reads,
   * with the commit that changed it last. Undefined if the result also depends on the time. A
   * result read afterwards has this state or a later one. Throws when the text does not compile.
   */
  async describe(request: Pick<QueryRequest, 'oql' | 'mayRead'>): Promise<string | undefined> {
    this.#subscribe();
    await this.#engine.catchUp();
    if (this.#base === 0) this.#base = this.#engine.stats().sequence;
    const catalog = await this.#shared.catalog.current();
    const query = this.#shared.compiled.compile(request.oql, catalog, request.mayRead);
    if (query.parameters.hasQueryTime) return undefined;
    const states = [...query.regions]
      .sort()
      .map((region) => [region, Math.max(this.#base, this.#changed.get(region) ?? 0)]);
    return JSON.stringify([this.#resets, states]);
  }

  close(): void {
    this.#unsubscribe?.();
  }

  #subscribe(): void {
    this.#unsubscribe ??= this.#engine.subscribe({
      onCommit: ({ changes, sequence }) => {
        for (const { region } of changes) this.#changed.set(region, sequence);
      },
      onReset: (sequence) => {
        this.#changed.clear();
        this.#base = sequence;
        this.#resets += 1;
      },
    });
  }
}
