// What queries may know of the grid: which regions exist. Kept in memory, for
// every query asks; read again after a region was created or destroyed.

import type { Engine } from '../engine/engine.ts';
import type { Catalog, CatalogRegion } from '../oql/index.ts';
import { isReservedRegion } from './region-rules.ts';

export class RegionCatalog {
  readonly #engine: Engine;
  readonly #unsubscribe: () => void;
  #current: Promise<Catalog> | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#unsubscribe = engine.subscribe(({ changes }) => {
      if (changes.some(isRegionChange)) this.#current = undefined;
    });
  }

  /** The same object as long as no region came or went. */
  current(): Promise<Catalog> {
    this.#current ??= this.#read();
    return this.#current;
  }

  close(): void {
    this.#unsubscribe();
  }

  async #read(): Promise<Catalog> {
    const regions = new Map<string, CatalogRegion>();
    for (const { name, type } of await this.#engine.describeRegions()) {
      if (!isReservedRegion(name)) regions.set(name, { type, valueMembers: undefined });
    }
    return {
      findRegion: (name) => regions.get(name),
      regionNames: () => regions.keys(),
      findTypeMembers: () => undefined,
    };
  }
}

function isRegionChange({ kind }: { readonly kind: string }): boolean {
  return kind === 'create-region' || kind === 'destroy-region';
}
