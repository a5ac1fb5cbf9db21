// Whether a query is a look-up, told before anything is opened: one region, and an equality with a
// constant at the first term that an index is on.

import type { BoundExpression, BoundQuery } from '../bind/bound-query.ts';
import type { IndexFacts } from '../columnar/column-source.ts';
import { splitConjuncts } from '../columnar/conjuncts.ts';
import { SlotFinder, shapeSelect } from '../columnar/shape.ts';
import { pathTerm, TermFinder, termsOf } from '../columnar/terms.ts';

export function isIndexLookup(
  { body }: BoundQuery,
  indexesOf: (region: string) => readonly IndexFacts[] | undefined,
): boolean {
  const shape = shapeSelect(body);
  if (!('select' in shape)) return false;
  const [region, ...others] = shape.iterators;
  if (region?.kind !== 'region' || others.some(({ kind }) => kind === 'region')) return false;
  const indexes = indexesOf(region.region) ?? [];
  const slots = new SlotFinder(shape.slots);
  const terms = new TermFinder(shape);
  const soughtTerm = (conjunct: BoundExpression): string | undefined => {
    const sought = soughtIn(conjunct);
    const slot = sought?.kind === 'path' ? shape.slots[slots.find(sought)] : undefined;
    return slot === undefined ? sought && terms.find(sought)?.term : pathTerm(slot.path);
  };
  return splitConjuncts(shape.select.where).some((conjunct) => {
    const term = soughtTerm(conjunct);
    return term !== undefined && indexes.some((index) => termsOf(index)[0] === term);
  });
}

/** The other side of an equality with a constant. */
function soughtIn(conjunct: BoundExpression): BoundExpression | undefined {
  if (conjunct.kind !== 'comparison' || conjunct.operator !== '=') return undefined;
  const { left, right } = conjunct;
  if (isConstant(right)) return left;
  return isConstant(left) ? right : undefined;
}

function isConstant({ kind }: BoundExpression): boolean {
  return kind === 'literal' || kind === 'parameter';
}
