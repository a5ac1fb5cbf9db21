// Reads of a region that may be destroyed between its opening and the read, which takes a while where
// the store is remote. Such a read finds nothing, and would pass for one of an empty region.

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

/** Throws `engine/region-gone` where the region is gone. */
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

  /** Where a key is absent, `read` follows. */
  readTogether(keys: readonly string[]): MaybePromise<ValuesTogether | undefined> {
    return this.#region.readTogether(keys);
  }

  readFirst(limit: number): MaybePromise<FirstEntries> {
    return this.#checked(this.#region.readFirst(limit), isEmpty);
  }

  /** What is found at once is of the same moment as the region. */
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
