// Point queries: one index look-up finds all of their rows. They are recognized before any table is
// opened:
//
//     SELECT * FROM /orders o WHERE o.id = $1
//     SELECT o.total, o.status FROM /orders o WHERE 'a-17' = LOWER(o.code)
//     SELECT * FROM /orders o WHERE o.status = 'paid' AND o.customerId = 17
//
// The look-up is the one that the planner finds for the same conditions. Conditions are equalities
// with constants, so that only the keys of the look-up depend on the constants.

import type { SourceIndex } from '../../value/column-data.ts';
import type { Value } from '../../value/value.ts';
import type { BoundExpression, BoundQuery, BoundSelect } from '../bind/bound-query.ts';
import type { IndexFacts } from '../columnar/column-source.ts';
import { columnNumberFinder, shapeSelect, type VectorShape } from '../columnar/shape.ts';
import { termsOf } from '../columnar/terms.ts';
import { Conditions } from './conditions.ts';
import { findLookup, lookupIn } from './find-lookup.ts';
import { constantOf, countKeys, isAnswered, type Lookup, visitKeys } from './lookup.ts';
import type { QueryFacts } from './plan-data.ts';
import { ANYTHING } from './safety.ts';

export interface PointLookup {
  readonly region: string;
  /** The span of the last constant in the text; undefined if it is a parameter. */
  readonly literal: BoundExpression['span'] | undefined;
  /** The index that serves all conditions with the fewest terms. */
  chooseIndex(indexes: readonly IndexFacts[]): IndexFacts | undefined;
  /**
   * The look-up of the conditions in an index; undefined if it does not serve all of them for these
   * values. `literal` replaces the last literal, for a text that differs in it alone.
   */
  keysIn(index: IndexFacts, parameters: readonly Value[], literal?: Value): Lookup | undefined;
}

/** Undefined for a select that reads more than one region, or has any other condition. */
export function findPointLookup(select: BoundSelect): PointLookup | undefined {
  // The look-up does not depend on the projections.
  const shape = shapeSelect({ ...select, projections: [] });
  if (!('select' in shape)) return undefined;
  const [region, ...others] = shape.iterators;
  if (region?.kind !== 'region' || region.view !== 'values' || others.length > 0) return undefined;
  const facts = unopenedFacts(shape);
  const conditions = new Conditions(facts);
  const sides = conditions.conjuncts.map(constantSide);
  const [first, ...more] = sides.filter((side) => side !== undefined);
  if (first === undefined || more.length + 1 < sides.length) return undefined;
  const [conjunct = first] = conditions.conjuncts;
  const only = more.length === 0 ? conditions.describe(conjunct) : undefined;
  const last = more.reduce((a, b) => (a.span.start > b.span.start ? a : b), first);
  return {
    region: region.region,
    literal: last.kind === 'literal' ? last.span : undefined,
    chooseIndex: (indexes) => {
      const serving = indexes.filter((index) => {
        const served = termsOf(index).flatMap((term) => conditions.on(0, term));
        // A key index has no counts of its own.
        return index.kind !== 'key' && served.length === conditions.conjuncts.length;
      });
      return serving.sort((a, b) => termsOf(a).length - termsOf(b).length)[0];
    },
    keysIn: (index, parameters, literal) => {
      const constant = (each: BoundExpression): Value | undefined =>
        literal !== undefined && each === last ? literal : constantOf(each, parameters);
      const draft = { data: { ...facts, constant }, conditions };
      if (only !== undefined && index.terms === undefined) return lookupIn(draft, 0, only, index);
      const use = findLookup(draft, 0, index);
      const isWhole = typeof use !== 'string' && use.served.length === conditions.conjuncts.length;
      return isWhole ? use.lookup : undefined;
    },
  };
}

/** The rows of a look-up; undefined if the index alone does not decide them, or they are many. */
export function findPointRows(
  lookup: Lookup,
  index: SourceIndex,
  maxRows: number,
): readonly number[] | undefined {
  if (!isAnswered(lookup, index) || countKeys(lookup.certain, index) > maxRows) return undefined;
  const rows: number[] = [];
  visitKeys(lookup.certain, index, (row) => rows.push(row));
  return rows;
}

/** Whether a query of one region compares the first term of an index with a constant. */
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
    const onFirstTerm = conditions.on(0, termsOf(index)[0] ?? '');
    return onFirstTerm.some(({ condition }) => constantSide(condition) !== undefined);
  });
}

/** The literal or parameter that something has to equal; undefined for any other condition. */
function constantSide(condition: BoundExpression): BoundExpression | undefined {
  if (condition.kind !== 'comparison' || condition.operator !== '=') return undefined;
  const { left, right } = condition;
  return [right, left].find(({ kind }) => kind === 'literal' || kind === 'parameter');
}

/** Before tables are opened, no constant is known, and a column may have any type. */
function unopenedFacts(shape: VectorShape): QueryFacts {
  const columnNumberOf = columnNumberFinder(shape.columns);
  return { shape, constant: () => undefined, columnNumberOf, tagsOf: () => ANYTHING };
}
