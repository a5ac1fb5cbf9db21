// NOT, pushed inward where the language rewrites it before running the query. That is not only a
// matter of speed: `NOT (x = 5)` must be `x <> 5`, which is true where x is missing.

import type { ComparisonOperator } from '../syntax/ast.ts';
import type { Span } from '../syntax/position.ts';
import type { BoundExpression } from './bound-query.ts';

const OPPOSITE: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '=': '<>',
  '<>': '=',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
};

/** The negation of an expression; `span` is that of the whole `NOT …`. */
export function negate(node: BoundExpression, span: Span): BoundExpression {
  switch (node.kind) {
    case 'comparison':
      return { ...node, operator: OPPOSITE[node.operator], span };
    case 'and':
    case 'or': {
      const operands = node.operands.map((operand) => negate(operand, operand.span));
      return joinOperands(node.kind === 'and' ? 'or' : 'and', operands, span);
    }
    case 'like':
    case 'is-null':
    case 'is-defined':
      return { ...node, negated: !node.negated, span };
    default:
      return { kind: 'not', operand: node, span };
  }
}

/** A junction in which no operand is a junction of the same kind. */
export function joinOperands(
  kind: 'and' | 'or',
  operands: readonly BoundExpression[],
  span: Span,
): BoundExpression {
  const flat = operands.flatMap((operand) => (operand.kind === kind ? operand.operands : operand));
  return { kind, operands: flat, span };
}
