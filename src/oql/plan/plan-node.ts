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

import type { BoundExpression, BoundGrouping, BoundSelect } from '../bind/bound-query.ts';
import type { IndexFacts } from '../columnar/column-source.ts';
import type { EquiJoin } from '../columnar/conjuncts.ts';
import type { KeySet, Lookup } from './lookup.ts';
import type { SoughtKeys } from './sought-keys.ts';

/** Steps of FROM and WHERE. `stage` is the iterator that a step brings in or decides on. */
export type RowsNode = AccessNode | FilterNode | ItemsNode | JoinNode | RestoreOrderNode;

/** Steps between the rows that were found and the result. */
export type ResultNode = GroupNode | DistinctNode | SortNode | LimitNode;

/** The last step of a query over columns. */
export type RootNode = ProjectNode | CountNode;

/** Steps of queries that do not run over columns, and of what runs before a query. */
export type RowByRowNode = ReferenceNode | SoughtNode | SubqueryNode;

export type PlanNode = RowsNode | BuildNode | ResultNode | RootNode | RowByRowNode;

/** Reads rows of one region. */
export interface AccessNode {
  readonly kind: 'access';
  readonly stage: number;
  readonly access: Access;
}

/** Where the rows of the first region come from. */
export type Access =
  /** No row can pass WHERE. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'scan'; readonly rows: number }
  /** No rows at all: every region knows how many entries it has. */
  | { readonly kind: 'size'; readonly rows: number }
  /** The rows under the keys of all uses together, in the order of the region. */
  | { readonly kind: 'lookup'; readonly uses: readonly IndexUse[]; readonly rows: number }
  /** In the order of the index, as many as are asked for. */
  | {
      readonly kind: 'ordered';
      readonly index: IndexFacts;
      readonly keys: KeySet;
      readonly direction: 'up' | 'down';
      /** Whether rows of one key are equal to ORDER BY, or other sort keys are left to look at. */
      readonly settles: 'all' | 'first';
      readonly rows: number;
    }
  /** Of each key the first row of the region, enough for DISTINCT. */
  | {
      readonly kind: 'heads';
      readonly index: IndexFacts;
      readonly keys: KeySet;
      readonly rows: number;
    }
  /** The first row of the lowest and of the highest key of each use, enough for MIN and MAX. */
  | { readonly kind: 'ends'; readonly uses: readonly EndUse[]; readonly rows: number }
  /** No rows at all: their number is told by the index. */
  | {
      readonly kind: 'count';
      readonly index: IndexFacts;
      readonly keys: KeySet;
      readonly rows: number;
    };

export interface IndexUse {
  readonly index: IndexFacts;
  readonly lookup: Lookup;
}

export interface EndUse {
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

/** Each row with each item of one of its collections. */
export interface ItemsNode {
  readonly kind: 'items';
  readonly stage: number;
  readonly input: RowsNode;
}

/** A step that brings another region in. */
export type JoinNode = HashJoinNode | CrossJoinNode | IndexJoinNode;

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
   * What goes on beside rows that meet every condition so far. Where a later condition may fail,
   * rows with an undecided condition go on too: a failure counts unless another condition is false.
   */
  readonly keeps: 'matching' | 'undecided';
  readonly build: BuildNode;
}

/** Each row with every row of another region. */
export interface CrossJoinNode extends JoinedRegion {
  readonly kind: 'cross-join';
  readonly build: BuildNode;
}

/** Each row with its partners, found by one look into an index. */
export interface IndexJoinNode extends JoinedRegion {
  readonly kind: 'index-join';
  readonly equality: EquiJoin;
  readonly index: IndexFacts;
}

/** How a region is joined: the node, but for the steps below it. */
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
  /** The place in FROM of each iterator of the rows. */
  readonly order: readonly number[];
  readonly input: RowsNode;
}

/** Groups rows, and leaves out the groups that HAVING refuses. */
export interface GroupNode {
  readonly kind: 'group';
  readonly grouping: BoundGrouping;
  /**
   * What is put into groups: the rows of the input; or, where the input is a hash join and its
   * build side alone decides the group, each build row once. No rows are paired then.
   */
  readonly groups: 'rows' | 'build-rows';
  readonly input: RowsNode;
}

export interface DistinctNode {
  readonly kind: 'distinct';
  readonly input: RowsNode | GroupNode;
}

export interface SortNode {
  readonly kind: 'sort';
  readonly orderBy: BoundSelect['orderBy'];
  /** Rows that are wanted of the sorted ones. */
  readonly most: number;
  /** Whether every visible row of one region is sorted. */
  readonly takesAll: boolean;
  /** Whether a projection may fail, which counts for rows that are cut too. */
  readonly mayFail: boolean;
  readonly input: RowsNode | GroupNode | DistinctNode;
}

export interface LimitNode {
  readonly kind: 'limit';
  readonly offset: number;
  /** Infinite without LIMIT. */
  readonly limit: number;
  /** Whether a projection may fail, which counts for rows that OFFSET passes over too. */
  readonly mayFail: boolean;
  readonly input: RowsNode | GroupNode | DistinctNode | SortNode;
}

/** Gives the rows out as SELECT asks for them. */
export interface ProjectNode {
  readonly kind: 'project';
  readonly input: RowsNode | ResultNode;
}

/** Gives their number out. */
export interface CountNode {
  readonly kind: 'count';
  /** It counts no further than this. */
  readonly most: number;
  /** OFFSET; the count is one row. */
  readonly offset: number;
  readonly input: RowsNode | DistinctNode;
}

/** The whole query row by row, by the reference evaluator. */
export interface ReferenceNode {
  readonly kind: 'reference';
  readonly input: SoughtNode | undefined;
}

/** Reads the entries of known keys from the store. */
export interface SoughtNode {
  readonly kind: 'sought';
  readonly sought: SoughtKeys;
}

/** A query inside the query, run first and once. */
export interface SubqueryNode {
  readonly kind: 'subquery';
  readonly text: string;
  /** Rows it gave; undefined where it has not run. */
  readonly rows: number | undefined;
}

/** What happened at a node itself, without those below it. */
export interface NodeFigures {
  rows: number;
  ms: number;
}

export interface RefusedIndex {
  readonly name: string;
  readonly reason: string;
}

/** What the planner did on the way to a tree. */
export interface PlanNotes {
  /** Names of the rules that had a part in it, in their order. */
  readonly rules: readonly string[];
  /** Names of the indexes in use. */
  readonly indexes: readonly string[];
  readonly refused: readonly RefusedIndex[];
}

/** The indexes that rows are read through. */
export function indexesIn(access: Access): readonly IndexFacts[] {
  switch (access.kind) {
    case 'nothing':
    case 'scan':
    case 'size':
      return [];
    case 'lookup':
    case 'ends':
      return access.uses.map(({ index }) => index);
    case 'ordered':
    case 'heads':
    case 'count':
      return [access.index];
  }
}

/** Where the rows of the first region come from. */
export function firstAccess(node: RootNode | ResultNode | RowsNode): AccessNode {
  let lowest = node;
  while (lowest.kind !== 'access') lowest = lowest.input;
  return lowest;
}

/** The grouping whose groups a step works on; undefined where it works on rows. */
export function groupBelow(node: RowsNode | ResultNode): GroupNode | undefined {
  let step = node;
  while (step.kind === 'limit' || step.kind === 'sort' || step.kind === 'distinct') {
    step = step.input;
  }
  return step.kind === 'group' ? step : undefined;
}
