// When each region was changed last, for tags of query results: as long as no region that a query
// reads has changed, its result is the same. Followed from the first question on; before that, a
// region counts as changed by the last commit there was.

import type { Engine } from '../../engine/engine.ts';
import type { QueryParts } from './query-parts.ts';
import type { QueryRequest } from './query-runner.ts';

export class RegionStates {
  readonly #engine: Engine;
  readonly #shared: QueryParts;
  readonly #changed = new Map<string, number>();
  #base = 0;
  /** Told apart after a reset, which may bring back sequences that stood for other data. */
  #resets = 0;
  #unsubscribe: (() => void) | undefined;

  constructor(engine: Engine, shared: QueryParts) {
    this.#engine = engine;
    this.#shared = shared;
  }

  /**
   * The state that a query result depends on, apart from text and parameters: each region it reads,
   * with the commit that changed it last. Undefined where the time of day counts too. A result read
   * afterwards is of this state or a later one. Throws when the text does not compile.
   */
  async describe(request: Pick<QueryRequest, 'oql' | 'mayRead'>): Promise<string | undefined> {
    this.#follow();
    await this.#engine.catchUp();
    if (this.#base === 0) this.#base = this.#engine.stats().sequence;
    const catalog = await this.#shared.catalog.current();
    const query = this.#shared.compiled.compile(request.oql, catalog, request.mayRead);
    if (query.parameters.hasMoment) return undefined;
    const states = [...query.regions].sort().map((region) => [region, this.#stateOf(region)]);
    return JSON.stringify([this.#resets, states]);
  }

  close(): void {
    this.#unsubscribe?.();
  }

  #stateOf(region: string): number {
    return Math.max(this.#base, this.#changed.get(region) ?? 0);
  }

  #follow(): void {
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
