// Evaluates expressions that do not depend on rows. An expression that fails is kept, because each
// row decides whether its failure counts.

import { mapChanged } from '../../bind/bound-children.ts';
import type { BoundExpression, BoundJunction } from '../../bind/bound-query.ts';
import { keepsUnknown } from '../../bind/where-outcome.ts';
import { type Rule, withShape } from '../draft.ts';
import type { Constant } from '../lookup.ts';

export const foldConstants: Rule = {
  name: 'fold-constants',
  apply(draft) {
    const { data } = draft;
    const { where } = data.shape.select;
    if (where === undefined) return draft;
    const folded = folding((expression) => data.constant(expression))(where);
    if (folded === where) return draft;
    const select = { ...data.shape.select, where: folded };
    return withShape(draft, { ...data.shape, select });
  },
};

/** Gives the same expression where there is nothing to fold. */
function folding(constant: Constant): (expression: BoundExpression) => BoundExpression {
  const fold = (expression: BoundExpression): BoundExpression => {
    if (expression.kind === 'literal' || expression.kind === 'parameter') return expression;
    // A set of constants is known to be one wherever it is used.
    if (expression.kind === 'path' || expression.kind === 'set') return expression;
    const value = constant(expression);
    if (value !== undefined) return { kind: 'literal', value, span: expression.span };
    const folded = mapChanged(expression, fold);
    return folded.kind === 'and' || folded.kind === 'or' ? foldJunction(folded, constant) : folded;
  };
  return fold;
}

/** FALSE decides an AND and TRUE adds nothing to it; for OR it is the other way round. */
function foldJunction(junction: BoundJunction, constant: Constant): BoundExpression {
  const deciding = junction.kind === 'or';
  const values = junction.operands.map((operand) => constant(operand));
  if (values.includes(deciding)) return { kind: 'literal', value: deciding, span: junction.span };
  const operands = junction.operands.filter((_, index) => values[index] !== !deciding);
  if (operands.length === junction.operands.length) return junction;
  const [only] = operands;
  if (operands.length > 1 || only === undefined) return { ...junction, operands };
  // Where it is the whole of WHERE, a single `<>` keeps rows that an AND around it drops.
  return keepsUnknown(only) ? junction : only;
}
