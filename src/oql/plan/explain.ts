// Prints a plan: as data for programs, and as an indented tree for people.

import { printAmount } from '../../value/print-amount.ts';
import type { DescribeNode, StepDescription } from './describe-plan.ts';
import type { NodeFigures, PlanNode, PlanNotes, SubqueryNode } from './plan-node.ts';

type FiguresOf = (node: PlanNode) => NodeFigures | undefined;

export interface ExplainedNode extends StepDescription {
  /** Present after a run. */
  readonly actualRows?: number;
  /** The time of the node and of all nodes below it. */
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
  /** Warnings about a query that runs. */
  readonly warnings: readonly string[];
  /** Why the query reads rows instead of columns; null when it does not. */
  readonly rowsBecause: string | null;
}

/** A plan; with figures, after a run. */
export function explainPlan(
  { root, rules, used, refused }: PlanNotes & { readonly root: PlanNode },
  subqueries: readonly SubqueryNode[],
  describe: DescribeNode,
  figuresOf?: FiguresOf,
): Explanation {
  return {
    plan: explainNode(root, describe, figuresOf),
    subqueries: subqueries.map((node) => explainNode(node, describe, figuresOf)),
    rules,
    indexesUsed: [...new Set(used.map(({ name }) => name))],
    indexesRefused: refused,
    warnings: [],
    rowsBecause: null,
  };
}

function explainNode(
  node: PlanNode,
  describe: DescribeNode,
  figuresOf: FiguresOf | undefined,
): ExplainedNode {
  const below = 'input' in node ? node.input : undefined;
  const input = below && explainNode(below, describe, figuresOf);
  const build = 'build' in node ? explainNode(node.build, describe, figuresOf) : undefined;
  const rows = { input: input?.estimatedRows ?? null, build: build?.estimatedRows ?? null };
  const { estimatedRows, ...described } = describe(node, rows);
  const explained = {
    ...described,
    estimatedRows: estimatedRows && Math.round(estimatedRows),
    ...(input && { input }),
    ...(build && { build }),
  };
  if (figuresOf === undefined) return explained;
  const own = figuresOf(node);
  const ms = (own?.ms ?? 0) + (input?.actualMs ?? 0) + (build?.actualMs ?? 0);
  // A step without figures was never reached.
  return { ...explained, actualRows: own?.rows ?? 0, actualMs: Math.round(ms * 1000) / 1000 };
}

/** One line per node, the last step first, each indented below the step it feeds. */
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
  if (estimatedRows !== null) figures.push(`estimated ${printAmount(estimatedRows, 'row')}`);
  if (actualRows !== undefined) {
    figures.push(`actual ${printAmount(actualRows, 'row')} in ${actualMs} ms`);
  }
  return figures.length === 0 ? '' : `(${figures.join(', ')})`;
}
