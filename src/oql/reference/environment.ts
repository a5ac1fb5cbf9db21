// The environment of an expression: current rows, groups and parameters, and the results of
// preparations.

import type { List, RegionHandle, Value } from '../../value/value.ts';
import { OqlError, type OqlErrorCode } from '../errors.ts';

/** Computes the value of an expression, synchronously. Throws `OqlError` where the row fails. */
export type Evaluate = (environment: Environment) => Value;

export interface Environment {
  readonly parameters: readonly Value[];
  /** `rows[depth][iterator]` is the current element of an iterator. */
  readonly rows: Value[][];
  /** `keys[depth][iterator]` is the key of that element, where it is an entry of a region. */
  readonly keys: string[][];
  /** `groups[depth]` is the current group of a grouped select. */
  readonly groups: Group[];
  /** Their entries are added before the first row is read, if they have to be in memory. */
  readonly regions: Map<string, RegionHandle>;
  /**
   * Results of subqueries and key look-ups, filled in before an expression is evaluated. A failure
   * is thrown only when the result is read, so that AND and OR can still hide it.
   */
  readonly prepared: (Value | OqlError)[];
  /** Hash keys of the elements of collections that IN has looked through. */
  readonly keySets: WeakMap<List, Pick<ReadonlySet<string>, 'has'>>;
}

export interface Group {
  readonly keys: readonly Value[];
  readonly results: readonly Value[];
}

export function createEnvironment(
  parameters: readonly Value[],
  regions: Map<string, RegionHandle>,
): Environment {
  return {
    parameters,
    rows: [],
    keys: [],
    groups: [],
    regions,
    prepared: [],
    keySets: new WeakMap(),
  };
}

/** Failures that end the query, whatever the rest of the expression is. */
const FATAL: ReadonlySet<OqlErrorCode> = new Set<OqlErrorCode>([
  'oql/timeout',
  'oql/cancelled',
  'oql/low-memory',
  'oql/too-many-rows',
  'oql/data-unavailable',
]);

/** The value of an expression, or its failure. */
export function tryEvaluate(evaluate: Evaluate, environment: Environment): Value | OqlError {
  try {
    return evaluate(environment);
  } catch (error) {
    if (isRowFailure(error)) return error;
    throw error;
  }
}

/** Whether an error means that one row failed, and not that the run has to end. */
export function isRowFailure(error: unknown): error is OqlError {
  return error instanceof OqlError && !FATAL.has(error.code);
}
