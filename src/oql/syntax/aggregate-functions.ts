// The aggregates of the language, by lower-case name. `reference/aggregates.ts` computes them.

export type AggregateFunction =
  | 'count'
  | 'sum'
  | 'avg'
  | 'min'
  | 'max'
  | 'variance'
  | 'stddev'
  | 'median'
  | 'array_agg'
  | 'first'
  | 'last';

interface AggregateTraits {
  /** Whether it accepts DISTINCT. */
  readonly takesDistinct: boolean;
  /** Whether its result depends on the order of rows, even among equal values. */
  readonly dependsOnOrder: boolean;
}

const ANY_ORDER: AggregateTraits = { takesDistinct: true, dependsOnOrder: false };
const IN_ORDER: AggregateTraits = { takesDistinct: true, dependsOnOrder: true };

export const AGGREGATES: Readonly<Record<AggregateFunction, AggregateTraits>> = {
  count: ANY_ORDER,
  sum: ANY_ORDER,
  avg: ANY_ORDER,
  min: ANY_ORDER,
  max: ANY_ORDER,
  // Rounding depends on which values come first.
  variance: IN_ORDER,
  stddev: IN_ORDER,
  median: ANY_ORDER,
  array_agg: IN_ORDER,
  first: { takesDistinct: false, dependsOnOrder: true },
  last: { takesDistinct: false, dependsOnOrder: true },
};

/** The aggregate of a name, in any letter case. */
export function findAggregate(name: string): AggregateFunction | undefined {
  const lower = name.toLowerCase();
  // The check makes it one of the names.
  return Object.hasOwn(AGGREGATES, lower) ? (lower as AggregateFunction) : undefined;
}
