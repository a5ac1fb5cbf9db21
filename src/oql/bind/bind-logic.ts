// AND, OR and NOT. NOT is pushed inward, as the language defines: `NOT (x = 5)` is `x <> 5`, which
// is true if x is missing.
//
// The syntax tree is visited once, with the number of NOTs around each part, and operands are added
// to their final junction. Rewriting level by level would take the product of depth and width.

import type { ComparisonOperator } from '../../value/compare.ts';
import type { Expression } from '../syntax/ast.ts';
import type { Span } from '../syntax/position.ts';
import type { BoundExpression } from './bound-query.ts';

export type Bind = (node: Expression) => BoundExpression;

/** Binds a condition; `bind` handles everything except AND, OR and NOT. */
export function bindLogic(node: Expression, bind: Bind): BoundExpression {
  return bindSense(node, 'as-is', bind);
}

/**
 * The number of NOTs around a part. Two of them keep its value, but require a boolean; three are the
 * same as one.
 */
type Sense = 'as-is' | 'negated' | 'twice';

const NEGATED: Readonly<Record<Sense, Sense>> = {
  'as-is': 'negated',
  negated: 'twice',
  twice: 'negated',
};

function bindSense(node: Expression, sense: Sense, bind: Bind): BoundExpression {
  const { part, sense: partSense } = withoutNot(node, sense);
  const kind = junctionKind(part, partSense);
  if (kind === undefined) return apply(bind(part), partSense, node.span);
  const operands: BoundExpression[] = [];
  for (const operand of operandsOf(part)) collect(operand, partSense, kind, operands, bind);
  return { kind, operands, span: node.span };
}

function withoutNot(node: Expression, sense: Sense): { part: Expression; sense: Sense } {
  let part = node;
  let partSense = sense;
  while (part.kind === 'unary' && part.operator === 'not') {
    partSense = NEGATED[partSense];
    part = part.operand;
  }
  return { part, sense: partSense };
}

const OTHER = { and: 'or', or: 'and' } as const;

/** The junction a part becomes; undefined if it is none. */
function junctionKind(part: Expression, sense: Sense): 'and' | 'or' | undefined {
  if (part.kind !== 'and' && part.kind !== 'or') return undefined;
  return sense === 'negated' ? OTHER[part.kind] : part.kind;
}

function operandsOf(part: Expression): readonly Expression[] {
  return part.kind === 'and' || part.kind === 'or' ? part.operands : [];
}

/** Adds an operand to a junction, or its operands if it turns out to be one of the same kind. */
function collect(
  node: Expression,
  sense: Sense,
  kind: 'and' | 'or',
  operands: BoundExpression[],
  bind: Bind,
): void {
  if (!isLogic(node)) {
    addOperand(apply(bind(node), sense, node.span), kind, operands);
    return;
  }
  const { part, sense: partSense } = withoutNot(node, sense);
  if (junctionKind(part, partSense) === kind) {
    for (const operand of operandsOf(part)) collect(operand, partSense, kind, operands, bind);
    return;
  }
  addOperand(bindSense(node, sense, bind), kind, operands);
}

function addOperand(bound: BoundExpression, kind: 'and' | 'or', operands: BoundExpression[]): void {
  if (bound.kind !== kind) operands.push(bound);
  else for (const operand of bound.operands) operands.push(operand);
}

function isLogic({ kind }: Expression): boolean {
  return kind === 'unary' || kind === 'and' || kind === 'or';
}

function apply(bound: BoundExpression, sense: Sense, span: Span): BoundExpression {
  if (sense === 'as-is') return bound;
  const negated = negate(bound, span);
  return sense === 'negated' ? negated : negate(negated, span);
}

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
      return joinOperands(OTHER[node.kind], operands, span);
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
