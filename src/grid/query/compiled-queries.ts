// Caches bound queries by text, each for one catalog. Most queries are repeated, and many others
// differ from an earlier one only in a literal; both are found here.

import {
  type BoundQuery,
  bindQuery,
  type Catalog,
  findPointQuery,
  findTextPattern,
  OqlError,
  parseQuery,
} from '../../oql/index.ts';
import type { Value } from '../../value/value.ts';
import { type GridLimits, toParseLimits } from '../limits.ts';
import { RecentlyUsed } from '../recently-used.ts';
import { type MayRead, requireReadable, restrictCatalog } from './query-access.ts';

const MAX_TEXTS = 512;
const MAX_PATTERNS = 512;
/**
 * Total of all cached texts: a bound query takes some fifty bytes per UTF-16 code unit of its text.
 */
const MAX_TEXT_UNITS = 1 << 20;

interface Compiled {
  readonly catalog: Catalog;
  readonly query: BoundQuery;
}

/** A text that need not be compiled. */
export interface KnownQuery {
  readonly query: BoundQuery;
  /** The value to look up, if `query` is a point query that was compiled with another literal. */
  readonly literal: Value | undefined;
}

export class CompiledQueries {
  readonly #limits: GridLimits;
  readonly #texts = new RecentlyUsed<Compiled>(MAX_TEXTS, MAX_TEXT_UNITS);
  /** Point queries by the pattern of their text. */
  readonly #points = new RecentlyUsed<Compiled>(MAX_PATTERNS, MAX_TEXT_UNITS);

  constructor(limits: GridLimits) {
    this.#limits = limits;
  }

  /** The bound query; refuses invalid texts, and regions that may not be read. */
  compile(oql: string, catalog: Catalog, mayRead: MayRead): BoundQuery {
    try {
      const query = this.#compile(oql, catalog);
      requireReadable(query, mayRead);
      return query;
    } catch (error) {
      // Its errors mention only the regions that it may read.
      if (mayRead !== undefined) this.#bind(oql, restrictCatalog(catalog, mayRead));
      throw error;
    }
  }

  /** For an earlier moment, whose documents may have members that no current one has. */
  compileForHistory(oql: string, catalog: Catalog, mayRead: MayRead): BoundQuery {
    try {
      return this.compile(oql, catalog, mayRead);
    } catch (error) {
      const query =
        error instanceof OqlError ? this.#tryToBind(oql, withoutMembers(catalog)) : undefined;
      if (query === undefined) throw error;
      requireReadable(query, mayRead);
      return query;
    }
  }

  #tryToBind(oql: string, catalog: Catalog): BoundQuery | undefined {
    try {
      return this.#bind(oql, catalog);
    } catch {
      return undefined;
    }
  }

  /** Undefined if it must be compiled. The caller checks permissions. */
  find(oql: string, catalog: Catalog): KnownQuery | undefined {
    const textPattern =
      oql.length > this.#limits.maxOqlTextLength ? undefined : findTextPattern(oql);
    // First, because looking up a long new text by hash costs time and finds nothing.
    const byPattern = textPattern && this.#points.get(textPattern.pattern);
    if (byPattern?.catalog === catalog)
      return { query: byPattern.query, literal: textPattern?.value };
    const byText = this.#texts.get(oql);
    return byText?.catalog === catalog ? { query: byText.query, literal: undefined } : undefined;
  }

  #compile(oql: string, catalog: Catalog): BoundQuery {
    const cached = this.#texts.get(oql);
    if (cached?.catalog === catalog) return cached.query;
    const query = this.#bind(oql, catalog);
    this.#texts.set(oql, { catalog, query });
    this.#cachePattern({ catalog, query });
    return query;
  }

  /** A point query is the same for all look-up values of the same kind. */
  #cachePattern(compiled: Compiled): void {
    const { query } = compiled;
    const literal = findPointQuery(query)?.lookup.literal;
    if (literal === undefined) return;
    const textPattern = findTextPattern(query.text);
    if (textPattern?.span.start !== literal.start || textPattern.span.end !== literal.end) return;
    this.#points.set(textPattern.pattern, compiled);
  }

  #bind(oql: string, catalog: Catalog): BoundQuery {
    return bindQuery(parseQuery(oql, toParseLimits(this.#limits)), catalog);
  }
}

/** Without known members of a region, every name is accepted. */
function withoutMembers(catalog: Catalog): Catalog {
  return {
    findRegion: (name) => {
      const region = catalog.findRegion(name);
      return region && { ...region, valueMembers: undefined };
    },
    regionNames: () => catalog.regionNames(),
    findTypeMembers: (typeName) => catalog.findTypeMembers(typeName),
  };
}
