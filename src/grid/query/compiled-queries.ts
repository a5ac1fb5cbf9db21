// Texts to bound queries. Most queries come again, and many that do not differ from an earlier one
// in a literal alone; both are kept, each for one catalog.

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

const KEPT_TEXTS = 512;
const KEPT_PATTERNS = 512;
/** Of all texts kept: a bound query takes some fifty bytes for each UTF-16 code unit of its text. */
const KEPT_TEXT_UNITS = 1 << 20;

interface Compiled {
  readonly catalog: Catalog;
  readonly query: BoundQuery;
}

/** A text that need not be compiled. */
export interface KnownQuery {
  readonly query: BoundQuery;
  /** The sought value, where `query` is a point query that was compiled with another literal. */
  readonly literal: Value | undefined;
}

export class CompiledQueries {
  readonly #limits: GridLimits;
  readonly #texts = new RecentlyUsed<Compiled>(KEPT_TEXTS, KEPT_TEXT_UNITS);
  /** Point queries by the pattern of their text. */
  readonly #points = new RecentlyUsed<Compiled>(KEPT_PATTERNS, KEPT_TEXT_UNITS);

  constructor(limits: GridLimits) {
    this.#limits = limits;
  }

  /** The bound query; refuses a text that does not fit, or reads a region it may not. */
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

  /** For an earlier moment, whose documents may have had members that none has now. */
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

  /** Undefined where it has to be compiled. The caller checks permissions. */
  find(oql: string, catalog: Catalog): KnownQuery | undefined {
    const found = oql.length > this.#limits.maxOqlTextLength ? undefined : findTextPattern(oql);
    // First, because looking up a long new text costs a hash of it that finds nothing.
    const point = found && this.#points.get(found.pattern);
    if (point?.catalog === catalog) return { query: point.query, literal: found?.value };
    const text = this.#texts.get(oql);
    return text?.catalog === catalog ? { query: text.query, literal: undefined } : undefined;
  }

  #compile(oql: string, catalog: Catalog): BoundQuery {
    const known = this.#texts.get(oql);
    if (known?.catalog === catalog) return known.query;
    const query = this.#bind(oql, catalog);
    this.#texts.set(oql, { catalog, query });
    this.#learn({ catalog, query });
    return query;
  }

  /** Nothing in a point query depends on the value it seeks, as long as that is of the same kind. */
  #learn(compiled: Compiled): void {
    const { query } = compiled;
    const literal = findPointQuery(query)?.lookup.literal;
    if (literal === undefined) return;
    const found = findTextPattern(query.text);
    if (found?.span.start !== literal.start || found.span.end !== literal.end) return;
    this.#points.set(found.pattern, compiled);
  }

  #bind(oql: string, catalog: Catalog): BoundQuery {
    return bindQuery(parseQuery(oql, toParseLimits(this.#limits)), catalog);
  }
}

/** Where nothing is known of the values of a region, any name may be meant. */
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
