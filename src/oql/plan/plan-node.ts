// A plan as data: what is done with the rows, from the last step down to where they come from.
//
//   SELECT c.country, COUNT(*) FROM /orders o, /customers c
//   WHERE o.status = 'paid' AND o.customerId = c.id GROUP BY c.country LIMIT 3
//
//   project country, 0
//   └ limit 3
//     └ group by c.country
//       └ hash-join c: /customers on o.customerId = c.id
//         ├ filter o.status = 'paid'
//         │ └ index-lookup /orders through byStatus
//         └ build
//           └ scan /customers

export type PlanKind =
  /** WHERE is false for every row. */
  | 'nothing'
  /** The number of entries, which every region knows. */
  | 'region-size'
  /** All rows of a region, from columns. */
  | 'scan'
  /** The rows that one or several indexes offer. */
  | 'index-lookup'
  /** Rows in the order of an index, until enough are found. */
  | 'index-order'
  /** One row of each key. */
  | 'index-distinct'
  /** The rows of the lowest and highest keys. */
  | 'index-ends'
  /** The number of rows, without a look at them. */
  | 'index-count'
  /** The same by the keys of the entries: single ones, a range, in their order, the ends, counted. */
  | 'key-lookup'
  | 'key-range'
  | 'key-order'
  | 'key-ends'
  | 'key-count'
  /** Conditions on the rows so far. */
  | 'filter'
  /** Each row with each item of one of its collections. */
  | 'items'
  /** Each row with the rows of another region that have an equal key. */
  | 'hash-join'
  /** Each row with every row of another region. */
  | 'cross-join'
  /** The same, by one look into an index for each row. */
  | 'index-join'
  /** The table of a hash join, of the rows that meet the conditions on their region. */
  | 'build'
  /** Rows joined in another order, put back into that of FROM. */
  | 'restore-order'
  | 'group'
  | 'distinct'
  | 'sort'
  | 'limit'
  | 'project'
  | 'count'
  /** A query inside the query, run first and once. */
  | 'subquery'
  /** Row by row, by the reference evaluator. */
  | 'rows';

/** Names a node within its plan, so that a run can tell what happened there. */
export type NodeId =
  | 'access'
  | 'restore-order'
  | 'group'
  | 'distinct'
  | 'sort'
  | 'limit'
  /** The node on top, whatever its kind. */
  | 'result'
  /** By iterator: how it is joined, what its table is built of and read from, what is refused. */
  | `${'join' | 'built' | 'build' | 'filter' | 'subquery'}-${number}`;

export interface PlanNode {
  /** By which a run tells what happened here. */
  readonly id: NodeId;
  readonly kind: PlanKind;
  /** What exactly, in the words of the query. */
  readonly detail: string;
  /** Rows it is expected to give; undefined where nothing can be said. */
  readonly estimatedRows: number | undefined;
  readonly input: PlanNode | undefined;
  /** The other side of a join: the rows its table is built of. */
  readonly build?: PlanNode | undefined;
}

/** What happened at a node itself, without those below it. */
export interface NodeFigures {
  rows: number;
  ms: number;
}

export interface Plan {
  readonly root: PlanNode;
  readonly subqueries: readonly PlanNode[];
  /** Names of the indexes in use. */
  readonly indexes: readonly string[];
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
  /** Names of the planner's rules that had a part in it, in their order. */
  readonly rules: readonly string[];
  /** Why the query does not run over columns. */
  readonly reason: string | undefined;
}
