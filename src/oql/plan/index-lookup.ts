// Recognizes look-ups before anything is opened: one region, and an equality with a constant at the
// first term of an index.

import type { BoundQuery } from '../bind/bound-query.ts';
import type { IndexFacts } from '../columnar/column-source.ts';
import { shapeSelect } from '../columnar/shape.ts';
import { termsOf } from '../columnar/terms.ts';
import { Conditions } from './conditions.ts';
import { constantSide } from './constants.ts';
import { unopenedFacts } from './unopened-facts.ts';

export function isIndexLookup(
  { body }: BoundQuery,
  indexesOf: (region: string) => readonly IndexFacts[] | undefined,
): boolean {
  const shape = shapeSelect(body);
  if (!('select' in shape)) return false;
  const [region, ...others] = shape.iterators;
  if (region?.kind !== 'region' || others.some(({ kind }) => kind === 'region')) return false;
  const conditions = new Conditions(unopenedFacts(shape));
  return (indexesOf(region.region) ?? []).some((index) => {
    const found = conditions.on(region.table, termsOf(index)[0] ?? '');
    return found.some(({ condition }) => constantSide(condition) !== undefined);
  });
}
