// The plan: a tree of steps, from the last one down to where the rows come from. Each node carries
// every decision about its step. The executor runs this tree, EXPLAIN prints it, and the figures of
// a run hang on its nodes.
//
//   SELECT c.country, COUNT(*) FROM /orders o, /customers c
//   WHERE o.status = 'paid' AND o.customerId = c.id GROUP BY c.country LIMIT 3
//
//   project country, 0
//   └ limit 3
//     └ group by c.country
//       └ hash-join c: /customers on o.customerId = c.id
//         ├ filter o.status = 'paid'
//         │ └ access /orders through byStatus
//         └ build
//           └ access /customers

import type { Bounds } from '../../value/column-data.ts';
import type {
  BoundExpression,
  BoundGrouping,
  BoundQuery,
  BoundSortKey,
} from '../bind/bound-query.ts';
import type { IndexFacts } from '../columnar/column-source.ts';
import type { EquiJoin } from '../columnar/conjuncts.ts';
import type { KeySet, Lookup } from './lookup.ts';

/** Steps of FROM and WHERE. `stage` is the iterator that a step brings in or decides on. */
export type RowsNode = AccessNode | FilterNode | ItemsNode | JoinNode | RestoreOrderNode;

/** Steps between the rows that were found and the result. */
export type ResultNode = GroupNode | DistinctNode | SortNode | LimitNode;

/** The last step of a query over columns. */
export type RootNode = ProjectNode | CountNode;

/** Steps of queries that run row by row, and of subqueries, which run before their query. */
export type RowByRowNode = ReferenceNode | KeysNode | SubqueryNode;

export type PlanNode = RowsNode | BuildNode | ResultNode | RootNode | RowByRowNode;

/** Reads rows of one region. */
export interface AccessNode {
  readonly kind: 'access';
  readonly stage: number;
  readonly access: Access;
}

/** How the rows of a region are read. */
export type Access = AccessMethod & { readonly rows: number };

type AccessMethod =
  /** No row can pass WHERE. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'scan' }
  /** No rows, only their number, which every region has. */
  | { readonly kind: 'size' }
  /** The union of the rows of several index look-ups, in the order of the region. */
  | { readonly kind: 'lookup'; readonly uses: readonly IndexUse[] }
  /** Rows in the order of an index, until enough are found. */
  | (IndexKeys & {
      readonly kind: 'ordered';
      readonly direction: 'up' | 'down';
      /** Sort keys of ORDER BY that the order of the index covers. */
      readonly covers: 'all' | 'first';
    })
  /** The first row of each key, which is enough for DISTINCT. */
  | (IndexKeys & { readonly kind: 'distinct-keys' })
  /** The first row of the lowest and of the highest key of each index, enough for MIN and MAX. */
  | { readonly kind: 'min-max'; readonly uses: readonly IndexKeys[] }
  /** No rows, only their number, which the index has. */
  | (IndexKeys & { readonly kind: 'count' });

export interface IndexUse {
  readonly index: IndexFacts;
  readonly lookup: Lookup;
}

export interface IndexKeys {
  readonly index: IndexFacts;
  readonly keys: KeySet;
}

/** Drops the rows for which a condition is false. */
export interface FilterNode {
  readonly kind: 'filter';
  readonly stage: number;
  readonly conditions: readonly BoundExpression[];
  readonly input: RowsNode;
}

/** Unnests a collection: each row with each of its items. */
export interface ItemsNode {
  readonly kind: 'items';
  readonly stage: number;
  readonly input: RowsNode;
}

/** Joins another region. */
export type JoinNode = HashJoinNode | LeftJoinNode | CrossJoinNode | IndexJoinNode;

interface JoinedRegion {
  readonly stage: number;
  /** Conditions of the steps below. */
  readonly earlier: readonly BoundExpression[];
  readonly input: RowsNode;
}

/** Each row with the rows of another region that have an equal key. */
export interface HashJoinNode extends JoinedRegion {
  readonly kind: 'hash-join';
  readonly equality: EquiJoin;
  /**
   * The rows that the join keeps: those that meet every condition so far, or unknown ones too. A
   * later condition that fails counts unless another is false, so unknown rows must reach it.
   */
  readonly keeps: 'matching' | 'unknown';
  readonly build: BuildNode;
}

/** LEFT JOIN: each row with its matches, or once without a row of the region if it has none. */
export interface LeftJoinNode extends JoinedRegion {
  readonly kind: 'left-join';
  readonly equality: EquiJoin;
  /** The other conditions on a match, besides those of the build side. */
  readonly conditions: readonly BoundExpression[];
  readonly build: BuildNode;
}

/** Each row with every row of another region. */
export interface CrossJoinNode extends JoinedRegion {
  readonly kind: 'cross-join';
  readonly build: BuildNode;
}

/** Each row with its matches, found by an index look-up. */
export interface IndexJoinNode extends JoinedRegion {
  readonly kind: 'index-join';
  readonly equality: EquiJoin;
  readonly index: IndexFacts;
}

/** How a region is joined: the node without its input. */
export type JoinMethod = WithoutInput<JoinNode>;
type WithoutInput<Node> = Node extends JoinNode ? Omit<Node, 'earlier' | 'input'> : never;

/** The build side of a join: the rows of its region that meet the conditions on that region. */
export interface BuildNode {
  readonly kind: 'build';
  readonly stage: number;
  readonly conditions: readonly BoundExpression[];
  readonly input: AccessNode;
}

/** Puts joined rows back into the order of FROM. */
export interface RestoreOrderNode {
  readonly kind: 'restore-order';
  /** The position in FROM of each iterator of the rows. */
  readonly order: readonly number[];
  readonly input: RowsNode;
}

/** Groups rows, and drops the groups that HAVING does not keep. */
export interface GroupNode {
  readonly kind: 'group';
  readonly grouping: BoundGrouping;
  /**
   * The rows that are grouped: those of the input; or, where the input is a hash join whose build
   * side alone decides the group, each build row once, without pairing rows.
   */
  readonly groups: 'rows' | 'build-rows';
  readonly input: RowsNode;
}

export interface DistinctNode {
  readonly kind: 'distinct';
  readonly input: RowsNode | GroupNode;
}

/** A sort key with facts about its values. */
export interface PlannedSortKey extends BoundSortKey {
  readonly mayFail: boolean;
  /** Whether all of them have a common order. */
  readonly hasOneOrder: boolean;
}

export interface SortNode {
  readonly kind: 'sort';
  readonly orderBy: readonly PlannedSortKey[];
  /** Rows needed from the front, those that OFFSET skips included; infinite without LIMIT. */
  readonly limit: number;
  /** Whether every visible row of one region is sorted. */
  readonly isWholeRegion: boolean;
  /** Whether a projection may fail, which counts for rows that LIMIT drops too. */
  readonly mayFail: boolean;
  readonly input: RowsNode | GroupNode | DistinctNode;
}

export interface LimitNode {
  readonly kind: 'limit';
  readonly offset: number;
  /** Infinite without LIMIT. */
  readonly limit: number;
  /** Whether a projection may fail, which counts for rows that OFFSET skips too. */
  readonly mayFail: boolean;
  readonly input: RowsNode | GroupNode | DistinctNode | SortNode;
}

/** Writes the projections of each row to the sink. */
export interface ProjectNode {
  readonly kind: 'project';
  readonly input: RowsNode | ResultNode;
}

/** Writes the number of rows to the sink. */
export interface CountNode {
  readonly kind: 'count';
  /** Counting stops at this number. */
  readonly limit: number;
  /** OFFSET of the one row that is the count. */
  readonly offset: number;
  readonly input: RowsNode | DistinctNode;
}

/** Runs the whole query row by row, by the reference evaluator. */
export interface ReferenceNode {
  readonly kind: 'reference';
  /** Without an ORDER BY that the key order of the entries satisfies. */
  readonly query: BoundQuery;
  readonly input: KeysNode | undefined;
}

/** Reads the entries of known keys from the store. */
export interface KeysNode {
  readonly kind: 'keys';
  readonly region: string;
  /** Ascending, without overlaps. */
  readonly ranges: readonly Bounds<string>[];
  /** Whether each range is one key. */
  readonly areSingle: boolean;
}

/** A query inside the query, run first and once. */
export interface SubqueryNode {
  readonly kind: 'subquery';
  readonly text: string;
  /** Rows of its result; undefined if it has not run. */
  readonly rows: number | undefined;
}

/** Measurements of one node, without those below it. */
export interface NodeFigures {
  rows: number;
  ms: number;
}

export interface RefusedIndex {
  readonly name: string;
  readonly reason: string;
}

/** How the planner arrived at a tree. */
export interface PlanNotes {
  /** Names of the rules that changed the plan, in their order. */
  readonly rules: readonly string[];
  /** The user-defined indexes that the plan reads. */
  readonly used: readonly IndexFacts[];
  readonly refused: readonly RefusedIndex[];
}

/** The indexes that rows are read through. */
export function indexesIn(access: Access): readonly IndexFacts[] {
  if ('uses' in access) return access.uses.map(({ index }) => index);
  return 'index' in access ? [access.index] : [];
}

/** The access at the bottom of a tree. */
export function firstAccess(node: RootNode | ResultNode | RowsNode): AccessNode {
  let lowest = node;
  while (lowest.kind !== 'access') lowest = lowest.input;
  return lowest;
}

/** The group node whose groups a step processes; undefined if it processes rows. */
export function groupBelow(node: RowsNode | ResultNode): GroupNode | undefined {
  let step = node;
  while (step.kind === 'limit' || step.kind === 'sort' || step.kind === 'distinct') {
    step = step.input;
  }
  return step.kind === 'group' ? step : undefined;
}
