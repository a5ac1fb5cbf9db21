// Reads of a region that may be destroyed after it was opened. Such a read finds nothing, as in an
// empty region, so an empty result is checked.

import type {
  Engine,
  FirstEntries,
  MaybePromise,
  Region,
  StoredEntry,
  ValuesTogether,
} from '../engine/engine.ts';
import { regionGone } from '../engine/errors.ts';

const isZero = (count: number): boolean => count === 0;
const hasNone = (entries: readonly unknown[]): boolean =>
  entries.every((entry) => entry === undefined);
const isEmpty = ({ keys }: FirstEntries): boolean => keys.length === 0;

/** Throws `engine/region-gone` if the region was destroyed. */
export class RegionReads implements Pick<Region, 'count' | 'read' | 'readTogether' | 'readFirst'> {
  readonly #region: Region;
  readonly #engine: Pick<Engine, 'openRegion'>;

  constructor(region: Region, engine: Pick<Engine, 'openRegion'>) {
    this.#region = region;
    this.#engine = engine;
  }

  count(): MaybePromise<number> {
    return this.#checked(this.#region.count(), isZero);
  }

  read(keys: readonly string[]): MaybePromise<readonly (StoredEntry | undefined)[]> {
    return this.#checked(this.#region.read(keys), hasNone);
  }

  /** Not checked: if a key is absent, the caller uses `read`. */
  readTogether(keys: readonly string[]): MaybePromise<ValuesTogether | undefined> {
    return this.#region.readTogether(keys);
  }

  readFirst(limit: number): MaybePromise<FirstEntries> {
    return this.#checked(this.#region.readFirst(limit), isEmpty);
  }

  /** A synchronous result is from the same moment as the region, and needs no check. */
  #checked<Found>(
    found: MaybePromise<Found>,
    isNothing: (found: Found) => boolean,
  ): MaybePromise<Found> {
    if (!(found instanceof Promise)) return found;
    return found.then(async (result) => {
      const { name } = this.#region.definition;
      if (isNothing(result) && (await this.#engine.openRegion(name)) === undefined) {
        throw regionGone(name);
      }
      return result;
    });
  }
}
