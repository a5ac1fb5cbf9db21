// WHERE taken apart: each operand of its AND is looked at as soon as all iterators it speaks of are
// there.

import { forEachChild } from '../bind/bound-children.ts';
import type { BoundComparison, BoundExpression, BoundPath } from '../bind/bound-query.ts';

export function splitConjuncts(where: BoundExpression | undefined): readonly BoundExpression[] {
  if (where === undefined) return [];
  return where.kind === 'and' ? where.operands : [where];
}

/** The iterators an expression speaks of. */
export function iteratorsOf(expression: BoundExpression): ReadonlySet<number> {
  let found: Set<number> | undefined;
  let first = -1;
  const visit = (node: BoundExpression): void => {
    if (node.kind !== 'path') forEachChild(node, visit);
    else if (first < 0) first = node.iterator;
    else if (node.iterator !== first) {
      found ??= new Set([first]);
      found.add(node.iterator);
    }
  };
  visit(expression);
  return found ?? ALONE[first] ?? new Set([first]);
}

/** Most conditions speak of one iterator, and a text may have thousands of them. */
const ALONE: Readonly<Record<number, ReadonlySet<number>>> = {
  [-1]: new Set(),
  0: new Set([0]),
  1: new Set([1]),
  2: new Set([2]),
};

export function joinConditions(operands: readonly BoundExpression[]): BoundExpression | undefined {
  const [first, ...others] = operands;
  if (first === undefined || others.length === 0) return first;
  return { kind: 'and', operands, span: first.span };
}

export interface EquiJoin {
  readonly conjunct: BoundComparison;
  /** On the iterator that is joined. */
  readonly inner: BoundPath;
  /** On an iterator before it. */
  readonly outer: BoundPath;
}

/** `a.x = b.y` between iterator `stage` and an earlier one. */
export function findEquiJoin(
  conjuncts: readonly BoundExpression[],
  stage: number,
): EquiJoin | undefined {
  for (const conjunct of conjuncts) {
    if (conjunct.kind !== 'comparison' || conjunct.operator !== '=') continue;
    const { left, right } = conjunct;
    if (left.kind !== 'path' || right.kind !== 'path') continue;
    if (left.iterator === stage && right.iterator < stage) {
      return { conjunct, inner: left, outer: right };
    }
    if (right.iterator === stage && left.iterator < stage) {
      return { conjunct, inner: right, outer: left };
    }
  }
  return undefined;
}

/** True if no row can make the expression fail, whatever its values are. */
export function neverFails(expression: BoundExpression): boolean {
  switch (expression.kind) {
    case 'path':
    case 'literal':
    case 'parameter':
    case 'group-key':
    case 'aggregate-result':
      return true;
    case 'comparison':
      if (expression.operator !== '=' && expression.operator !== '<>') return false;
      return neverFails(expression.left) && neverFails(expression.right);
    case 'like':
      return expression.pattern.kind === 'literal' && neverFails(expression.value);
    case 'is-null':
    case 'is-defined':
      return neverFails(expression.operand);
    case 'nvl':
      return neverFails(expression.value) && neverFails(expression.fallback);
    case 'function':
      return expression.definition.isTotal && expression.arguments.every(neverFails);
    default:
      return false;
  }
}
