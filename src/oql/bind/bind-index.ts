// Binds index definitions: one or more expressions over a FROM clause that starts at a region. The
// two texts are parsed separately before they are bound together, so neither can inject a clause.

import type { IndexKind } from '../../value/region-words.ts';
import { OqlError, syntaxError, wholeQuery } from '../errors.ts';
import type { Expression, SelectExpression } from '../syntax/ast.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { hasRowOrder } from '../syntax/parse-set-operation.ts';
import { printRegionPath } from '../syntax/region-path.ts';
import { bindQuery } from './bind-query.ts';
import type { BoundQuery, BoundSelect } from './bound-query.ts';
import type { Catalog } from './catalog.ts';
import { CONDITIONS } from './refuse-mistaken-or.ts';

export interface IndexTexts {
  /** For example `i.sku`, `LOWER(o.name)` or `o.status, o.total`. */
  readonly expression: string;
  /** For example `/orders o, o.items i`. */
  readonly from: string;
  readonly kind?: IndexKind;
}

/** An index as a query: its values are the projections of each row of its FROM clause. */
export interface IndexQuery {
  readonly query: BoundQuery;
  readonly select: BoundSelect;
  /** The members of a map that are indexed, each on its own; undefined for an index on a value. */
  readonly mapKeys: MapKeys | undefined;
}

/** Some members of a map, or every one that a query reads. */
export type MapKeys = readonly string[] | '*';

/** Throws an OqlError when the texts do not define an index on this region. */
export function bindIndex(
  { expression, from, kind }: IndexTexts,
  region: string,
  catalog: Catalog,
): IndexQuery {
  const { target, mapKeys } = partExpression(expression);
  const expressions = parseExpressions(target);
  if (expressions.some((each) => NO_VALUES.has(each.kind))) {
    const reason = 'An index is made on a value, such as a member: not on a condition';
    throw syntaxError(wholeQuery(target), reason);
  }
  checkFrom(parseQuery(`SELECT * FROM ${from}`).query, from, region);
  const query = bindQuery(parseQuery(`SELECT ${target}\nFROM ${from}`), catalog);
  const select = query.body;
  if (select.kind !== 'select') {
    throw syntaxError(wholeQuery(query.text), 'An index needs a FROM clause');
  }
  const index = { query, select, mapKeys };
  checkDefinition(index, kind, expressions.length);
  return index;
}

/** Refuses queries that an index of this kind cannot hold. */
function checkDefinition(
  { query, select, mapKeys }: IndexQuery,
  kind: IndexKind | undefined,
  valueCount: number,
): void {
  const demand = (isMet: boolean, reason: string): void => {
    if (!isMet) throw syntaxError(wholeQuery(query.text), reason);
  };
  const { grouping, iterators, projections } = select;
  const [first, ...others] = iterators;
  const { hasQueryTime, spans } = query.parameters;
  demand(!hasQueryTime, 'An index must not depend on the time of a query');
  demand(spans.length === 0, 'An index must not have parameters');
  const isGrouped = grouping !== undefined || select.shape === 'count';
  demand(!isGrouped, 'An index must not aggregate');
  const isDependent = others.every(({ source }) => source.kind === 'path');
  demand(isDependent, 'Each further iterator of an index must follow from an earlier one');
  if (kind === 'key') {
    const isOfValues = others.length === 0 && first?.source.kind === 'region';
    demand(isOfValues, 'A key index is on the values of a region: only those have keys');
    const isOnePath = projections.length === 1 && projections[0]?.expression.kind === 'path';
    demand(isOnePath, 'A key index is on one member, which holds the key of the entry');
  }
  if (kind === 'key' || kind === 'hash') {
    demand(valueCount === 1, 'An index on several values is a range index');
    demand(mapKeys === undefined, 'An index on members of a map is a range index');
  }
}

const TEXT = /'((?:[^']|'')*)'/g;
const MAP_KEYS = /^(.+)\[\s*(\*|'(?:[^']|'')*'(?:\s*,\s*'(?:[^']|'')*')*)\s*\]\s*$/s;

/** `o.m['a','b']` and `o.m[*]`, which only indexes have. */
function partExpression(expression: string): {
  readonly target: string;
  readonly mapKeys: MapKeys | undefined;
} {
  const [, target, keys] = MAP_KEYS.exec(expression) ?? [];
  if (target === undefined || keys === undefined) return { target: expression, mapKeys: undefined };
  if (keys === '*') return { target, mapKeys: '*' };
  const texts = Array.from(keys.matchAll(TEXT), ([, text = '']) => text.replaceAll("''", "'"));
  return { target, mapKeys: texts };
}

/**
 * `o.status, o.total` is several expressions. It is parsed as the elements of a set, so that nothing
 * but expressions can be in the text.
 */
function parseExpressions(text: string): readonly Expression[] {
  try {
    return [parseQuery(text).query];
  } catch (error) {
    const elements = text.includes(',') ? findElements(text) : undefined;
    if (elements === undefined) throw error;
    return elements;
  }
}

function findElements(text: string): readonly Expression[] | undefined {
  try {
    const { query } = parseQuery(`SET(${text}\n)`);
    return query.kind === 'set' ? query.elements : undefined;
  } catch (error) {
    if (error instanceof OqlError) return undefined;
    throw error;
  }
}

/** A value can be looked up; a condition or a constant cannot. */
const NO_VALUES: ReadonlySet<Expression['kind']> = new Set([
  ...CONDITIONS,
  ...(['literal', 'numbered-parameter', 'named-parameter', 'unary'] as const),
  ...(['select', 'set-operation', 'with'] as const),
]);

function checkFrom(query: Expression, from: string, region: string): void {
  const at = wholeQuery(from);
  if (query.kind !== 'select' || hasOtherClauses(query)) {
    throw syntaxError(at, 'The from of an index is a FROM clause and nothing else');
  }
  if (regionOf(query.from[0]?.source) !== region) {
    throw syntaxError(at, `The from of the index must begin with ${printRegionPath(region)}`);
  }
}

function hasOtherClauses(select: SelectExpression): boolean {
  const { where, groupBy, having } = select;
  const hasConditions = where !== undefined || having !== undefined;
  return hasConditions || groupBy.length > 0 || hasRowOrder(select);
}

/** `/orders`, and views of it such as `/orders.entries`. */
function regionOf(source: Expression | undefined): string | undefined {
  if (source?.kind === 'region-path') return source.segments.join('/');
  return source?.kind === 'member' || source?.kind === 'method'
    ? regionOf(source.target)
    : undefined;
}
