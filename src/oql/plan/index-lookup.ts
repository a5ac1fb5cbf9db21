// Whether a query is a look-up, told before anything is opened: one region, and an equality with a
// constant at a path that an index is on.

import type { BoundExpression, BoundPath, BoundQuery } from '../bind/bound-query.ts';
import type { IndexFacts } from '../columnar/column-source.ts';
import { splitConjuncts } from '../columnar/conjuncts.ts';
import { SlotFinder, shapeSelect } from '../columnar/shape.ts';
import { isSamePath } from './path-use.ts';

export function isIndexLookup(
  { body }: BoundQuery,
  indexesOf: (region: string) => readonly IndexFacts[] | undefined,
): boolean {
  const shape = shapeSelect(body);
  if (!('select' in shape)) return false;
  const [region, ...others] = shape.iterators;
  if (region?.kind !== 'region' || others.some(({ kind }) => kind === 'region')) return false;
  const indexes = indexesOf(region.region) ?? [];
  const finder = new SlotFinder(shape.slots);
  return splitConjuncts(shape.select.where).some((conjunct) => {
    const path = soughtPath(conjunct);
    const slot = path && shape.slots[finder.find(path)];
    return slot !== undefined && indexes.some((index) => isSamePath(index.path, slot.path));
  });
}

/** The path in `path = constant`. */
function soughtPath(conjunct: BoundExpression): BoundPath | undefined {
  if (conjunct.kind !== 'comparison' || conjunct.operator !== '=') return undefined;
  const { left, right } = conjunct;
  if (left.kind === 'path' && isConstant(right)) return left;
  return right.kind === 'path' && isConstant(left) ? right : undefined;
}

function isConstant({ kind }: BoundExpression): boolean {
  return kind === 'literal' || kind === 'parameter';
}
