// Gives every row of a query an identity, so that two results of the query can be compared row by
// row. The rewritten query delivers structs: columns of identity first, then the row itself.
//
//     SELECT o.total FROM /orders o        becomes
//     SELECT e.key AS " 0", e.value.total FROM /orders.entries e
//
// | query                            | identity                                             |
// |----------------------------------|------------------------------------------------------|
// | one region                       | the key of the entry                                 |
// | several regions                  | the list of keys, in the order of FROM               |
// | FROM goes through lists as well  | the list of keys, and the row's number among its own |
// | GROUP BY                         | the list of group values; empty for one group        |
// | DISTINCT, UNION, FROM a subquery | the list of the row's own values                     |

import type { FunctionDefinition } from '../functions/function-definition.ts';
import { findFunction } from '../functions/function-table.ts';
import { forEachChild, mapChildren } from './bound-children.ts';
import type {
  BoundExpression,
  BoundIterator,
  BoundProjection,
  BoundQuery,
  BoundSelect,
} from './bound-query.ts';

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
  /** Columns behind those: the kind of each ORDER BY value. */
  readonly kindColumns: number;
  /** Whether several rows may have the same identity columns, so that a number tells them apart. */
  readonly isNumbered: boolean;
  /** Whether a row is a struct of the columns that are left, or the value of the only one. */
  readonly shape: 'bare' | 'struct';
  /**
   * The region whose entries give rows of their own, each independent of all others: a change of one
   * entry changes its own rows alone. Undefined for every other query.
   */
  readonly followed: string | undefined;
}

export function identifyRows(query: BoundQuery): IdentifiedQuery {
  const select = toSelect(query.body);
  if (select === undefined || select.distinct) return byContent(query, select);
  if (select.shape === 'count') return plain(query, 'single', 'bare');
  if (select.grouping !== undefined) return byGroup(query, select);
  if (!select.iterators.some(isRegionIterator)) return byContent(query, select);
  return byKeys(query, select);
}

/** The name of an added column: no query text can have it. */
function columnName(place: number): string {
  return ` ${place}`;
}

/** A region that is the whole query is gone through as by `SELECT *`. */
function toSelect(body: BoundExpression): BoundSelect | undefined {
  if (body.kind === 'select') return body;
  if (body.kind !== 'region' && body.kind !== 'region-view') return undefined;
  const { span } = body;
  const row = { kind: 'path', depth: 0, iterator: 0, members: [], span } as const;
  return {
    kind: 'select',
    depth: 0,
    hints: [],
    distinct: false,
    iterators: [{ name: 'row', source: body, span }],
    where: undefined,
    grouping: undefined,
    projections: [{ name: 'row', expression: row }],
    shape: 'bare',
    orderBy: [],
    limit: undefined,
    offset: undefined,
    outerDepths: [],
    regions: [body.name],
    span,
  };
}

function plain(
  query: BoundQuery,
  identity: 'content' | 'single',
  shape: 'bare' | 'struct',
): IdentifiedQuery {
  return {
    query,
    identity,
    idColumns: 0,
    kindColumns: 0,
    isNumbered: false,
    shape,
    followed: undefined,
  };
}

function byContent(query: BoundQuery, select: BoundSelect | undefined): IdentifiedQuery {
  if (select?.shape === 'count') return plain(query, 'single', 'bare');
  return plain(query, 'content', select?.shape === 'struct' ? 'struct' : 'bare');
}

function byGroup(query: BoundQuery, select: BoundSelect): IdentifiedQuery {
  const { depth, span } = select;
  const keys = select.grouping?.keys ?? [];
  const columns = keys.map((_, key): BoundExpression => ({ kind: 'group-key', depth, key, span }));
  return {
    ...plain(query, 'content', select.shape === 'struct' ? 'struct' : 'bare'),
    query: { ...query, body: prependColumns(select, columns) },
    identity: 'list',
    idColumns: columns.length,
  };
}

function byKeys(query: BoundQuery, select: BoundSelect): IdentifiedQuery {
  const viewed = viewEntries(select);
  const { depth, span } = select;
  const keys = select.iterators.flatMap((each, iterator): BoundExpression[] =>
    isRegionIterator(each) ? [{ kind: 'path', depth, iterator, members: ['key'], span }] : [],
  );
  const followed = findFollowed(query, select);
  const kinds = followed === undefined ? [] : viewed.orderBy.map((key) => kindOf(key.expression));
  const isNumbered = keys.length < select.iterators.length;
  return {
    query: { ...query, body: prependColumns(viewed, [...keys, ...kinds]) },
    identity: keys.length === 1 && !isNumbered ? 'key' : 'list',
    idColumns: keys.length,
    kindColumns: kinds.length,
    isNumbered,
    shape: select.shape === 'struct' ? 'struct' : 'bare',
    followed,
  };
}

const TYPEOF: FunctionDefinition | undefined = findFunction('TYPEOF');

function kindOf(expression: BoundExpression): BoundExpression {
  if (TYPEOF === undefined) throw new Error('there is no function TYPEOF');
  const { span } = expression;
  return { kind: 'function', definition: TYPEOF, arguments: [expression], span };
}

function prependColumns(select: BoundSelect, columns: readonly BoundExpression[]): BoundSelect {
  const added = columns.map(
    (expression, place): BoundProjection => ({ name: columnName(place), expression }),
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
  return source.kind === 'region' || source.kind === 'region-view';
}

/**
 * The same select over the entries of its regions. A path `o.total` of a value becomes
 * `o.value.total`, in correlated subqueries too.
 */
function viewEntries(select: BoundSelect): BoundSelect {
  const prefixes = select.iterators.map(({ source }): string | undefined => {
    if (source.kind === 'region') return 'value';
    if (source.kind !== 'region-view' || source.view === 'entries') return undefined;
    return source.view === 'keys' ? 'key' : 'value';
  });
  const rewrite = (node: BoundExpression): BoundExpression => {
    if (node.kind !== 'path') return mapChildren(node, rewrite);
    const prefix = node.depth === select.depth ? prefixes[node.iterator] : undefined;
    return prefix === undefined ? node : { ...node, members: [prefix, ...node.members] };
  };
  const iterators = select.iterators.map((iterator): BoundIterator => {
    const { source } = iterator;
    if (source.kind !== 'region' && source.kind !== 'region-view') {
      return { ...iterator, source: rewrite(source) };
    }
    const { name, span } = source;
    return { ...iterator, source: { kind: 'region-view', name, view: 'entries', span } };
  });
  // The sources of iterators are rewritten above: a region stays a region elsewhere.
  const rest = mapChildren({ ...select, iterators: [] }, rewrite);
  if (rest.kind !== 'select') throw new Error('a select became something else');
  return { ...rest, iterators };
}

function findFollowed(query: BoundQuery, select: BoundSelect): string | undefined {
  const [first, ...others] = select.iterators;
  const source = first?.source;
  if (source?.kind !== 'region' && source?.kind !== 'region-view') return undefined;
  if (query.parameters.hasMoment) return undefined;
  if (select.limit !== undefined || select.offset !== undefined) return undefined;
  const parts = { ...select, iterators: others };
  return readsOthers(parts) ? undefined : source.name;
}

/** Whether an expression has a subquery or reads a region. */
function readsOthers(select: BoundSelect): boolean {
  let found = false;
  const visit = (node: BoundExpression): void => {
    if (node.kind === 'select' || node.kind === 'region' || node.kind === 'region-view') {
      found = true;
    } else if (!found) forEachChild(node, visit);
  };
  forEachChild(select, visit);
  return found;
}
