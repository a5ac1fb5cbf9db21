// Splits WHERE at its ANDs. Each conjunct is evaluated as soon as all iterators it refers to are
// joined.

import type { BoundComparison, BoundExpression } from '../bind/bound-query.ts';
import { pathsIn } from '../bind/references.ts';

export function splitConjuncts(where: BoundExpression | undefined): readonly BoundExpression[] {
  if (where === undefined) return [];
  return where.kind === 'and' ? where.operands : [where];
}

/** The iterators that an expression refers to. */
export function iteratorsOf(expression: BoundExpression): ReadonlySet<number> {
  return new Set(pathsIn(expression).map(({ iterator }) => iterator));
}

/** The one iterator that an expression refers to; undefined if it refers to none or several. */
export function onlyIterator(expression: BoundExpression): number | undefined {
  const [only, ...others] = iteratorsOf(expression);
  return others.length === 0 ? only : undefined;
}

export function joinConditions(operands: readonly BoundExpression[]): BoundExpression | undefined {
  const [first, ...others] = operands;
  if (first === undefined || others.length === 0) return first;
  return { kind: 'and', operands, span: first.span };
}

export interface EquiJoin {
  readonly conjunct: BoundComparison;
  /** Refers to the iterator that is joined only. */
  readonly inner: BoundExpression;
  /** Refers to other iterators, which are joined before it. */
  readonly outer: BoundExpression;
  /** Columns if both sides are paths; otherwise keys are computed row by row. */
  readonly keys: 'columns' | 'computed';
}

/** `a.x = b.y` between iterator `stage` and earlier ones; paths are preferred to computed terms. */
export function findEquiJoin(
  conjuncts: readonly BoundExpression[],
  stage: number,
): EquiJoin | undefined {
  let computed: EquiJoin | undefined;
  for (const conjunct of conjuncts) {
    const join = toEquiJoins(conjunct).find(
      ({ inner, outer }) => onlyIterator(inner) === stage && isBefore(outer, stage),
    );
    if (join === undefined) continue;
    if (join.keys === 'columns') return join;
    computed ??= join;
  }
  return computed;
}

/** The joins that an equality allows: of the iterator of one side with those of the other, if any. */
export function toEquiJoins(conjunct: BoundExpression): readonly EquiJoin[] {
  if (conjunct.kind !== 'comparison' || conjunct.operator !== '=') return [];
  const { left, right } = conjunct;
  const keys = left.kind === 'path' && right.kind === 'path' ? 'columns' : 'computed';
  const joins: readonly EquiJoin[] = [
    { conjunct, inner: left, outer: right, keys },
    { conjunct, inner: right, outer: left, keys },
  ];
  return joins.filter(({ inner, outer }) => {
    const own = onlyIterator(inner);
    const others = iteratorsOf(outer);
    return own !== undefined && others.size > 0 && !others.has(own);
  });
}

function isBefore(expression: BoundExpression, stage: number): boolean {
  return [...iteratorsOf(expression)].every((each) => each < stage);
}

/** Whether the expression cannot fail, whatever its values are. */
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
    case 'function':
      return expression.definition.isTotal === true && expression.arguments.every(neverFails);
    default:
      return false;
  }
}
