// A plan as data: what is done with the rows, from the last step down to where they come from.
//
//   SELECT c.country, COUNT(*) FROM /orders o, /customers c
//   WHERE o.status = 'paid' AND o.customerId = c.id GROUP BY c.country LIMIT 3
//
//   limit 3
//   └ group by c.country                                 1 key, 1 aggregate
//     └ hash-join c: /customers                          o.customerId = c.id
//       └ filter                                         o.status = 'paid'
//         └ index-lookup /orders through byStatus        strings ['paid', 'paid']

export type PlanKind =
  /** All rows of a region, from columns. */
  | 'scan'
  /** The rows that one or several indexes offer. */
  | 'index-lookup'
  /** Conditions on the rows so far. */
  | 'filter'
  /** Each row with each item of one of its collections. */
  | 'items'
  /** Each row with the rows of another region that have an equal key. */
  | 'hash-join'
  | 'group'
  | 'distinct'
  | 'sort'
  | 'limit'
  | 'project'
  | 'count'
  /** Row by row, by the reference evaluator. */
  | 'rows';

export interface PlanNode {
  readonly kind: PlanKind;
  /** What exactly, in the words of the query. */
  readonly detail: string;
  /** Rows it is expected to give; undefined where nothing can be said. */
  readonly estimatedRows: number | undefined;
  readonly input: PlanNode | undefined;
}

/** What happened at a node; times include what is below it. */
export interface NodeFigures {
  rows: number;
  ms: number;
}

export interface Plan {
  readonly root: PlanNode;
  /** The last node of FROM and WHERE. */
  readonly matched: PlanNode;
  /** Names of the indexes in use. */
  readonly indexes: readonly string[];
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
  /** Why the query does not run over columns. */
  readonly reason: string | undefined;
}
