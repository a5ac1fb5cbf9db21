// Caches open regions that queries read by key: opening one in a remote store costs a round trip.

import type { Engine, Region } from '../../engine/engine.ts';

export class RegionHandles {
  readonly #engine: Engine;
  readonly #regions = new Map<string, Region>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  known(name: string): Region | undefined {
    return this.#regions.get(name);
  }

  async open(name: string): Promise<Region | undefined> {
    const region = await this.#engine.openRegion(name);
    if (region !== undefined) this.#regions.set(name, region);
    return region;
  }

  /** A handle of a region that was destroyed finds no entries. */
  forget(name: string): void {
    this.#regions.delete(name);
  }
}
