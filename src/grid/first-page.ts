// The first page of a region, cached until the region changes. A page is cached when two
// consecutive requests ask for it: caching every page would cost more than it saves.

import type { FirstEntries, MaybePromise, Region } from '../engine/engine.ts';
import { andThen } from './and-then.ts';

/** Makes a page of the first entries; the page owns the values. */
export type PageMaker<Page> = (
  region: PagedRegion,
  limit: number,
  first: FirstEntries,
) => MaybePromise<Page>;

export interface PagedRegion {
  readonly name: string;
  count(): MaybePromise<number>;
}

export interface MadePage<Page> {
  readonly page: Page;
  /** The page is cached and shared, so it must not be modified. */
  readonly isCached: boolean;
}

interface FirstPageRequest {
  readonly limit: number;
  readonly make: PageMaker<unknown>;
}

/** A larger page is not cached. */
const MAX_CACHED_BYTES = 64 * 1024;

export class FirstPage {
  readonly #entries: Pick<Region, 'readFirst'>;
  #cached: (FirstPageRequest & { readonly made: MadePage<unknown> }) | undefined;
  /** The latest request since the last change of the region. */
  #latest: FirstPageRequest | undefined;
  #changes = 0;

  constructor(entries: Pick<Region, 'readFirst'>) {
    this.#entries = entries;
  }

  make<Page>(
    region: PagedRegion,
    limit: number,
    make: PageMaker<Page>,
  ): MaybePromise<MadePage<Page>> {
    const cached = this.#cached;
    // The same function made it, so it has that type.
    if (cached?.limit === limit && cached.make === make) return cached.made as MadePage<Page>;
    const changes = this.#changes;
    return andThen(this.#entries.readFirst(limit), (first) => {
      const isSmall = first.values.length <= MAX_CACHED_BYTES;
      return andThen(make(region, limit, first), (page) => {
        const isRepeated = this.#latest?.limit === limit && this.#latest.make === make;
        // A commit may have come meanwhile.
        const made = { page, isCached: isRepeated && isSmall && changes === this.#changes };
        if (made.isCached) this.#cached = { limit, make, made };
        else this.#latest = { limit, make };
        return made;
      });
    });
  }

  /** Call it when the region has changed. */
  forget(): void {
    this.#changes += 1;
    this.#cached = undefined;
    this.#latest = undefined;
  }
}
