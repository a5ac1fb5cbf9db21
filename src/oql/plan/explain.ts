// A plan for readers: as data for programs, as an indented picture for people.

import type { NodeFigures, NodeId, Plan, PlanKind, PlanNode } from './plan-node.ts';

/** What happened at a node, by its id. */
export type FindFigures = (id: NodeId) => NodeFigures | undefined;

export interface ExplainedNode {
  readonly node: PlanKind;
  readonly detail: string;
  readonly estimatedRows: number | null;
  /** Present after a run. */
  readonly actualRows?: number;
  /** The time of the node and of all that is below it. */
  readonly actualMs?: number;
  readonly input?: ExplainedNode;
  readonly build?: ExplainedNode;
}

export interface Explanation {
  readonly plan: ExplainedNode;
  /** Run before the plan, each once. */
  readonly subqueries: readonly ExplainedNode[];
  readonly rules: readonly string[];
  readonly indexesUsed: readonly string[];
  readonly indexesRefused: readonly { readonly name: string; readonly reason: string }[];
  /** What seems wrong with the query although it runs. */
  readonly warnings: readonly string[];
  /** Why the query reads rows instead of columns; null when it does not. */
  readonly rowsBecause: string | null;
}

export function explainPlan(plan: Plan, find?: FindFigures): Explanation {
  return {
    plan: explainNode(plan.root, find),
    subqueries: plan.subqueries.map((node) => explainNode(node, find)),
    rules: plan.rules,
    indexesUsed: plan.indexes,
    indexesRefused: plan.refused,
    warnings: [],
    rowsBecause: plan.reason ?? null,
  };
}

function explainNode(node: PlanNode, find: FindFigures | undefined): ExplainedNode {
  const input = node.input && explainNode(node.input, find);
  const build = node.build && explainNode(node.build, find);
  const explained = {
    node: node.kind,
    detail: node.detail,
    estimatedRows: node.estimatedRows ?? null,
    ...(input && { input }),
    ...(build && { build }),
  };
  if (find === undefined) return explained;
  const own = find(node.id);
  const ms = (own?.ms ?? 0) + (input?.actualMs ?? 0) + (build?.actualMs ?? 0);
  const actualRows = actualRowsOf(node, own, input);
  return { ...explained, actualRows, actualMs: Math.round(ms * 1000) / 1000 };
}

/** A limit passes on what the step above it takes, and a join without conditions all it finds. */
function actualRowsOf(
  node: PlanNode,
  own: NodeFigures | undefined,
  input: ExplainedNode | undefined,
): number {
  if (node.kind === 'count') return 1;
  if (node.kind === 'region-size') return node.estimatedRows ?? 0;
  return own?.rows ?? input?.actualRows ?? 0;
}

/** One line per node, the last step first, each indented below what it feeds. */
export function printExplanation(explanation: Explanation): string {
  const lines = printNode(explanation.plan);
  for (const subquery of explanation.subqueries) lines.push(...printNode(subquery));
  if (explanation.rowsBecause !== null) lines.push(`rows, because ${explanation.rowsBecause}`);
  for (const warning of explanation.warnings) lines.push(`warning: ${warning}`);
  if (explanation.rules.length > 0) lines.push(`rules: ${explanation.rules.join(', ')}`);
  for (const name of explanation.indexesUsed) lines.push(`index ${name}: used`);
  for (const { name, reason } of explanation.indexesRefused) {
    lines.push(`index ${name}: refused, ${reason}`);
  }
  return `${lines.join('\n')}\n`;
}

function printNode(node: ExplainedNode): string[] {
  const own = `${[node.node, node.detail].join(' ').trim()}  ${printFigures(node)}`.trimEnd();
  const below = [node.input, node.build].filter((each) => each !== undefined);
  const lines = below.flatMap((each, index) => {
    const isLast = index === below.length - 1;
    const [first = '', ...others] = printNode(each);
    const indent = isLast ? '  ' : '│ ';
    return [`${isLast ? '└' : '├'} ${first}`, ...others.map((line) => `${indent}${line}`)];
  });
  return [own, ...lines];
}

function printFigures({ estimatedRows, actualRows, actualMs }: ExplainedNode): string {
  const figures: string[] = [];
  if (estimatedRows !== null) figures.push(`estimated ${estimatedRows} rows`);
  if (actualRows !== undefined) figures.push(`actual ${actualRows} rows in ${actualMs} ms`);
  return figures.length === 0 ? '' : `(${figures.join(', ')})`;
}
