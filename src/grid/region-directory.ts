// The open regions: each is opened once and then found without waiting, until it is destroyed.
// After `Engine.catchUp` this cache is at least as recent as any answer to a client.

import type { CommittedChange } from '../engine/engine.ts';
import { GridRegion, type RegionParts } from './grid-region.ts';
import { isReservedRegion } from './region-rules.ts';

export class RegionDirectory {
  readonly #parts: RegionParts;
  readonly #open: Map<string, GridRegion> = new Map();
  readonly #unsubscribe: () => void;
  /**
   * Incremented when a region is created, destroyed or altered, so that a read in progress is not
   * cached.
   */
  #generation = 0;

  constructor(parts: RegionParts) {
    this.#parts = parts;
    this.#unsubscribe = parts.engine.subscribe({
      onCommit: ({ changes }) => this.#applyChanges(changes),
      onReset: () => {
        this.#generation += 1;
        this.#open.clear();
      },
    });
  }

  /** A region that is in use already. */
  find(name: string): GridRegion | undefined {
    return this.#open.get(name);
  }

  /** Undefined when there is no such region, or it is reserved. */
  async open(name: string): Promise<GridRegion | undefined> {
    const found = this.#open.get(name);
    if (found !== undefined || isReservedRegion(name)) return found;
    const generation = this.#generation;
    const opened = await this.#parts.engine.openRegion(name);
    if (opened === undefined) return undefined;
    const region = new GridRegion(opened, this.#parts);
    if (generation === this.#generation) this.#open.set(name, region);
    return region;
  }

  close(): void {
    this.#unsubscribe();
    this.#open.clear();
  }

  #applyChanges(changes: readonly CommittedChange[]): void {
    let last = '';
    for (const { kind, region } of changes) {
      if (kind === 'create-region' || kind === 'destroy-region' || kind === 'alter-region') {
        this.#generation += 1;
        this.#open.delete(region);
      } else if (region !== last) this.#open.get(region)?.forgetPage();
      last = region;
    }
  }
}
