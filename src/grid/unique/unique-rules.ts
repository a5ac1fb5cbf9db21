// The unique indexes of regions, ready to be maintained. This cache may be stale: the engine then
// refuses the write, and its writer reads the definitions again.

import type { Engine, MaybePromise, RegionDescription } from '../../engine/engine.ts';
import type { IndexDefinition } from '../../engine/index-definition.ts';
import { bindIndex, compileIndexedValues, type IndexedValues } from '../../oql/index.ts';
import { catalogOf } from '../query/query-access.ts';

export interface UniqueRule {
  readonly region: string;
  readonly name: string;
  /** The region of its records. */
  readonly records: string;
  readonly valuesOf: IndexedValues;
}

/** What a commit needs to maintain unique indexes. */
export interface UniqueParts {
  readonly engine: Engine;
  readonly unique: UniqueRules;
}

export class UniqueRules {
  readonly #engine: Engine;
  readonly #known: Map<string, readonly UniqueRule[]> = new Map();
  /** All regions by name, as of `#generation`: the first write to each of them needs one. */
  #regions: ReadonlyMap<string, RegionDescription> | undefined;
  readonly #unsubscribe: () => void;
  /**
   * Incremented when an index or a region is created or removed, so that a read in progress is not
   * cached.
   */
  #generation = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#unsubscribe = engine.subscribe({
      onCommit: ({ changes }) => {
        for (const { kind, region } of changes) {
          if (kind === 'put' || kind === 'remove' || kind === 'expire') continue;
          if (kind !== 'clear' && kind !== 'alter-region') this.forget(region);
        }
      },
      onReset: () => {
        this.#generation += 1;
        this.#regions = undefined;
        this.#known.clear();
      },
    });
  }

  /** The rules of a region; synchronous if they are cached. */
  find(region: string): MaybePromise<readonly UniqueRule[]> {
    return this.#known.get(region) ?? this.#read(region);
  }

  /** Call it when the engine refused a write because of them. */
  forget(region: string): void {
    this.#generation += 1;
    this.#regions = undefined;
    this.#known.delete(region);
  }

  close(): void {
    this.#unsubscribe();
    this.#known.clear();
  }

  async #read(name: string): Promise<readonly UniqueRule[]> {
    const generation = this.#generation;
    const described = this.#regions === undefined ? await this.#engine.describeRegions() : [];
    const regions = this.#regions ?? new Map(described.map((each) => [each.name, each]));
    const region = regions.get(name);
    if (region === undefined) return [];
    const rules = toUniqueRules(region);
    if (generation === this.#generation) {
      this.#regions = regions;
      this.#known.set(name, rules);
    }
    return rules;
  }
}

export function toUniqueRules(region: RegionDescription): readonly UniqueRule[] {
  return region.indexes.flatMap((index) => toUniqueRule(index, region) ?? []);
}

/** Undefined for an index that is not unique. Throws an OqlError for one that cannot be. */
export function toUniqueRule(
  definition: IndexDefinition,
  { name: region, type }: Pick<RegionDescription, 'name' | 'type'>,
): UniqueRule | undefined {
  const { name, records } = definition;
  if (records === undefined) return undefined;
  // The members of current documents must not change the meaning of the index.
  const catalog = catalogOf(region, { type, valueMembers: undefined });
  const valuesOf = compileIndexedValues(bindIndex(definition, region, catalog));
  return { region, name, records, valuesOf };
}
