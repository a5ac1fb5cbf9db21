// A plan for readers: as data for programs, as an indented picture for people.

import type { NodeFigures, Plan, PlanKind, PlanNode } from './plan-node.ts';

export type Figures = ReadonlyMap<PlanNode, NodeFigures>;

export interface ExplainedNode {
  readonly node: PlanKind;
  readonly detail: string;
  readonly estimatedRows: number | null;
  /** Present after a run. */
  readonly actualRows?: number;
  readonly actualMs?: number;
  readonly input?: ExplainedNode;
}

export interface Explanation {
  readonly plan: ExplainedNode;
  readonly indexesUsed: readonly string[];
  readonly indexesRefused: readonly { readonly name: string; readonly reason: string }[];
  /** Why the query reads rows instead of columns; null when it does not. */
  readonly rowsBecause: string | null;
}

export function explainPlan(plan: Plan, figures?: Figures): Explanation {
  return {
    plan: explainNode(plan.root, figures),
    indexesUsed: plan.indexes,
    indexesRefused: plan.refused,
    rowsBecause: plan.reason ?? null,
  };
}

function explainNode(node: PlanNode, figures: Figures | undefined): ExplainedNode {
  const actual = figures?.get(node);
  return {
    node: node.kind,
    detail: node.detail,
    estimatedRows: node.estimatedRows ?? null,
    ...(actual && { actualRows: actual.rows, actualMs: Math.round(actual.ms * 1000) / 1000 }),
    ...(node.input && { input: explainNode(node.input, figures) }),
  };
}

/** One line per node, the last step first, each indented below what it feeds. */
export function printExplanation(explanation: Explanation): string {
  const lines: string[] = [];
  let depth = 0;
  for (
    let node: ExplainedNode | undefined = explanation.plan;
    node !== undefined;
    node = node.input
  ) {
    const branch = depth === 0 ? '' : `${'  '.repeat(depth - 1)}└ `;
    lines.push(
      `${branch}${[node.node, node.detail].join(' ').trim()}  ${printFigures(node)}`.trimEnd(),
    );
    depth += 1;
  }
  if (explanation.rowsBecause !== null) lines.push(`rows, because ${explanation.rowsBecause}`);
  for (const name of explanation.indexesUsed) lines.push(`index ${name}: used`);
  for (const { name, reason } of explanation.indexesRefused) {
    lines.push(`index ${name}: refused, ${reason}`);
  }
  return `${lines.join('\n')}\n`;
}

function printFigures({ estimatedRows, actualRows, actualMs }: ExplainedNode): string {
  const figures: string[] = [];
  if (estimatedRows !== null) figures.push(`estimated ${estimatedRows} rows`);
  if (actualRows !== undefined) figures.push(`actual ${actualRows} rows in ${actualMs} ms`);
  return figures.length === 0 ? '' : `(${figures.join(', ')})`;
}
