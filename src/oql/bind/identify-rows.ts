// Gives every row of a query an identity, so that two results of the query can be compared row by
// row. The rewritten query delivers structs: columns of identity first, then the row itself.
//
//     SELECT o.total FROM /orders o        becomes
//     SELECT e.key AS " 0", e.value.total FROM /orders.entries e
//
// | query                            | identity                                             |
// |----------------------------------|------------------------------------------------------|
// | one region                       | the key of the entry                                 |
// | several regions                  | the list of keys, in the order of FROM; null where a |
// |                                  | LEFT JOIN finds no entry                             |
// | FROM goes through lists as well  | the list of keys, and a number among rows with them  |
// | GROUP BY                         | the list of group values; empty for one group        |
// | DISTINCT, UNION, FROM a subquery | the list of the row's own values                     |

import type { FunctionDefinition } from '../functions/function-definition.ts';
import { requireFunction } from '../functions/function-table.ts';
import { mapChildren, mapSelect, someChild } from './bound-children.ts';
import type {
  BoundExpression,
  BoundIterator,
  BoundProjection,
  BoundQuery,
  BoundSelect,
} from './bound-query.ts';
import { leftJoinedRows } from './left-join.ts';
import { selectRowsOf } from './plain-select.ts';
import { readsRegion } from './references.ts';
import { regionSourceOf } from './region-source.ts';

/**
 * - `key`: the first column is the identity.
 * - `list`: the identity is the list of the identity columns.
 * - `content`: rows stay as they are, and the identity is the list of a row's values.
 * - `single`: there is at most one row, whose identity is the empty list.
 */
export type RowIdentity = 'key' | 'list' | 'content' | 'single';

export interface IdentifiedQuery {
  readonly query: BoundQuery;
  readonly identity: RowIdentity;
  /** Columns in front of the row that make its identity. */
  readonly idColumns: number;
  /** Columns after those: the kind of each ORDER BY value. */
  readonly kindColumns: number;
  /**
   * Whether several rows may have the same identity columns, so that a number must distinguish
   * them.
   */
  readonly isNumbered: boolean;
  /** Whether a row is a struct of the columns that are left, or the value of the only one. */
  readonly shape: 'bare' | 'struct';
  /**
   * The region whose entries yield independent rows: a change of one entry changes only its own
   * rows. Undefined for every other query.
   */
  readonly followed: string | undefined;
}

export function identifyRows(query: BoundQuery): IdentifiedQuery {
  const select = toSelect(query.body);
  const plain: IdentifiedQuery = {
    query,
    identity: 'content',
    idColumns: 0,
    kindColumns: 0,
    isNumbered: false,
    shape: select?.shape === 'struct' ? 'struct' : 'bare',
    followed: undefined,
  };
  if (select?.shape === 'count') return { ...plain, identity: 'single' };
  if (select === undefined || select.distinct) return plain;
  if (select.grouping !== undefined) return byGroup(plain, select);
  return select.iterators.some(isRegionIterator) ? byKeys(plain, select) : plain;
}

/** The name of an added column: no query text can have it. */
function columnName(column: number): string {
  return ` ${column}`;
}

/** A region that is the whole query is read as by `SELECT *`. */
function toSelect(body: BoundExpression): BoundSelect | undefined {
  if (body.kind === 'select') return body;
  return regionSourceOf(body) && selectRowsOf(body, 0);
}

function byGroup(plain: IdentifiedQuery, select: BoundSelect): IdentifiedQuery {
  const { depth, span } = select;
  const keys = select.grouping?.keys ?? [];
  const columns = keys.map((_, key): BoundExpression => ({ kind: 'group-key', depth, key, span }));
  return {
    ...plain,
    query: { ...plain.query, body: prependColumns(select, columns) },
    identity: 'list',
    idColumns: columns.length,
  };
}

function byKeys(plain: IdentifiedQuery, select: BoundSelect): IdentifiedQuery {
  const { query } = plain;
  const prefixes = findPrefixes(select);
  const viewed = viewEntries(select, prefixes);
  const { depth, span } = select;
  const keys = prefixes.flatMap((prefix, iterator): BoundExpression[] =>
    prefix === undefined ? [] : [{ kind: 'path', depth, iterator, members: ['key'], span }],
  );
  const followed = findFollowed(query, select);
  const kinds = followed === undefined ? [] : viewed.orderBy.map((key) => kindOf(key.expression));
  const isNumbered = keys.length < select.iterators.length;
  return {
    ...plain,
    query: { ...query, body: prependColumns(viewed, [...keys, ...kinds]) },
    identity: keys.length === 1 && !isNumbered ? 'key' : 'list',
    idColumns: keys.length,
    kindColumns: kinds.length,
    isNumbered,
    followed,
  };
}

const TYPEOF: FunctionDefinition = requireFunction('TYPEOF');

function kindOf(expression: BoundExpression): BoundExpression {
  const { span } = expression;
  return { kind: 'function', definition: TYPEOF, arguments: [expression], span };
}

function prependColumns(select: BoundSelect, columns: readonly BoundExpression[]): BoundSelect {
  const added = columns.map(
    (expression, column): BoundProjection => ({ name: columnName(column), expression }),
  );
  return {
    ...select,
    shape: 'struct',
    projections: [...added, ...select.projections],
    orderBy: select.orderBy.map((key) =>
      key.projection === undefined ? key : { ...key, projection: key.projection + added.length },
    ),
  };
}

function isRegionIterator({ source }: BoundIterator): boolean {
  return regionSourceOf(source) !== undefined;
}

/**
 * The prefix of paths of each iterator once it iterates over entries: `o.total` of a value becomes
 * `o.value.total`. Undefined for an iterator that has no entries.
 */
type Prefixes = readonly (readonly string[] | undefined)[];

const PREFIXES = { values: ['value'], keys: ['key'], entries: [] } as const;

function findPrefixes(select: BoundSelect): Prefixes {
  return select.iterators.map(({ source }, iterator): readonly string[] | undefined => {
    const region = regionSourceOf(source);
    if (region !== undefined) return PREFIXES[region.view];
    const joined = findLeftJoin(source);
    return joined !== undefined && !usesWholeRow(select, iterator) ? ['value'] : undefined;
  });
}

/** The select of `LEFT JOIN /b b ON …`, over the values of b. */
function findLeftJoin(source: BoundExpression): BoundSelect | undefined {
  const rows = leftJoinedRows(source);
  return rows?.iterators[0]?.source.kind === 'region' ? rows : undefined;
}

/**
 * Whether an expression computes with the whole row of an iterator. Where a LEFT JOIN finds nothing,
 * the row is null and its members are UNDEFINED. Projections and IS NULL treat both alike.
 */
function usesWholeRow(select: BoundSelect, iterator: number): boolean {
  const isRow = (node: BoundExpression): boolean =>
    node.kind === 'path' &&
    node.depth === select.depth &&
    node.iterator === iterator &&
    node.members.length === 0;
  const computesWith = (node: BoundExpression): boolean => {
    if (node.kind === 'is-null' && isRow(node.operand)) return false;
    return isRow(node) || someChild(node, computesWith);
  };
  const projections = select.projections.filter(({ expression }) => !isRow(expression));
  return someChild({ ...select, projections }, computesWith);
}

/** The same select over the entries of its regions; correlated subqueries are rewritten too. */
function viewEntries(select: BoundSelect, prefixes: Prefixes): BoundSelect {
  const rewrite = (node: BoundExpression): BoundExpression => {
    if (node.kind !== 'path') return mapChildren(node, rewrite);
    const prefix = node.depth === select.depth ? prefixes[node.iterator] : undefined;
    return prefix === undefined ? node : { ...node, members: [...prefix, ...node.members] };
  };
  const iterators = select.iterators.map((iterator, at): BoundIterator => {
    const { source } = iterator;
    const region = regionSourceOf(source);
    if (region !== undefined) {
      return { ...iterator, source: { ...region, kind: 'region-view', view: 'entries' } };
    }
    const rewritten = rewrite(source);
    const isEntries = prefixes[at] !== undefined;
    return { ...iterator, source: isEntries ? viewJoined(rewritten) : rewritten };
  });
  // The sources of iterators are rewritten above: a region stays a region elsewhere.
  return { ...mapSelect({ ...select, iterators: [] }, rewrite), iterators };
}

/** The rows of a LEFT JOIN as entries. */
function viewJoined(source: BoundExpression): BoundExpression {
  const joined = findLeftJoin(source);
  if (joined === undefined || source.kind !== 'function') throw new Error('this is no LEFT JOIN');
  const { projections } = joined;
  // The row itself is projected: the entry, if the select is over entries.
  const rows = { ...viewEntries(joined, [['value']]), projections };
  return { ...source, arguments: [rows] };
}

function findFollowed(query: BoundQuery, select: BoundSelect): string | undefined {
  const [first, ...others] = select.iterators;
  const source = regionSourceOf(first?.source);
  if (source === undefined || query.parameters.hasQueryTime) return undefined;
  if (select.limit !== undefined || select.offset !== undefined) return undefined;
  return someChild({ ...select, iterators: others }, readsRegion) ? undefined : source.name;
}
