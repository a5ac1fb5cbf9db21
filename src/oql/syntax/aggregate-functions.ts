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
  /** Otherwise a subquery as its argument is the value of its only row. */
  readonly takesCollections: boolean;
}

const OF_VALUES: AggregateTraits = {
  takesDistinct: true,
  dependsOnOrder: false,
  takesCollections: false,
};
const FIRST_OR_LAST: AggregateTraits = {
  takesDistinct: false,
  dependsOnOrder: true,
  takesCollections: true,
};

export const AGGREGATES: Readonly<Record<AggregateFunction, AggregateTraits>> = {
  count: { ...OF_VALUES, takesCollections: true },
  sum: OF_VALUES,
  avg: OF_VALUES,
  min: OF_VALUES,
  max: OF_VALUES,
  // Rounding depends on which values come first.
  variance: { ...OF_VALUES, dependsOnOrder: true },
  stddev: { ...OF_VALUES, dependsOnOrder: true },
  median: OF_VALUES,
  array_agg: { ...FIRST_OR_LAST, takesDistinct: true },
  first: FIRST_OR_LAST,
  last: FIRST_OR_LAST,
};

/** The aggregate of a name, in any letter case. */
export function findAggregate(name: string): AggregateFunction | undefined {
  const lower = name.toLowerCase();
  // The check makes it one of the names.
  return Object.hasOwn(AGGREGATES, lower) ? (lower as AggregateFunction) : undefined;
}
