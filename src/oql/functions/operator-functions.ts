// Functions that implement operators: `EXISTS q`, `x > ALL q`, `a || b`, `IN (a, b)`. Queries
// cannot call them by name.

import { toCollection } from '../../value/collections.ts';
import { type ComparisonOperator, compareValues, hashKey } from '../../value/compare.ts';
import { describeValue } from '../../value/describe-value.ts';
import { KeyMap } from '../../value/key-map.ts';
import { isAbsent, type List, Struct, UNDEFINED, type Value } from '../../value/value.ts';
import {
  define,
  defineStepwise,
  defineVariadic,
  domainFailure,
  type FunctionDefinition,
  FunctionFailure,
  type FunctionOutcome,
  type Steps,
} from './function-definition.ts';
import { joinTexts } from './text-functions.ts';

const COLLECTIONS = { takesCollections: true } as const;

/** `a || b`: unlike CONCAT, null if a side is null or missing. */
export const CONCATENATION: FunctionDefinition = define('||', ['any', 'any'], (left, right) =>
  isAbsent(left) || isAbsent(right) ? null : joinTexts([left, right]),
);

/** `EXISTS (query)`: whether a collection has elements; one that is null or missing has none. */
export const EXISTS: FunctionDefinition = define(
  'EXISTS',
  ['any'],
  (value) => {
    if (isAbsent(value)) return false;
    const elements = toCollection(value);
    return elements === undefined
      ? new FunctionFailure('type', `EXISTS takes a collection, not ${describeValue(value)}`, 0)
      : elements.length > 0;
  },
  COLLECTIONS,
);

/** The elements of `IN (a, b)`, each unchanged: unlike in SET, a missing one leaves the others. */
export const LIST_OF: FunctionDefinition = defineVariadic('LIST', 'any', 1, (values) => values);

/** The collection that `IN ($1)` searches: the bound collection, or the one bound value. */
export const COLLECTION_OF: FunctionDefinition = define(
  'COLLECTION',
  ['any'],
  (value) => (isAbsent(value) || toCollection(value) !== undefined ? value : [value]),
  { isTotal: true },
);

/** The scalar value of a subquery: that of its only row, null without rows. */
export const SCALAR: FunctionDefinition = define(
  'SCALAR',
  ['collection'],
  (rows) => {
    const [only = null] = rows;
    if (rows.length <= 1) return only;
    const reason = `A subquery with ${rows.length} rows stands where one value is wanted`;
    return domainFailure(`${reason}; use IN, ANY or ALL, or an aggregate`, 0);
  },
  COLLECTIONS,
);

/** `ELEMENT (query)`: the only element of a collection. */
export const ELEMENT: FunctionDefinition = define('ELEMENT', ['any'], (value) => {
  if (isAbsent(value)) return UNDEFINED;
  const elements = toCollection(value);
  if (elements === undefined) {
    return new FunctionFailure('type', `ELEMENT takes a collection, not ${describeValue(value)}`);
  }
  const [only] = elements;
  if (only !== undefined && elements.length === 1) return only;
  return domainFailure(`ELEMENT takes a collection of one element, not of ${elements.length}`);
});

/** `NVL(value, fallback)`: null is replaced; UNDEFINED is not. */
export const NVL: FunctionDefinition = {
  name: 'NVL',
  minArguments: 2,
  maxArguments: 2,
  isTotal: true,
  lazy:
    ([value, fallback]) =>
    (row) =>
      value?.(row) ?? fallback?.(row) ?? null,
};

/** The rows of `LEFT JOIN`: one null if nothing matches. */
export const ROWS_OR_NULL: FunctionDefinition = define(
  'ROWS_OR_NULL',
  ['collection'],
  (rows) => (rows.length === 0 ? [null] : rows),
  COLLECTIONS,
);

/**
 * `value operator ANY (collection)`, and ALL: true, false or undefined, by the rules of AND and OR.
 */
export const QUANTIFIED: FunctionDefinition = define(
  'QUANTIFIED',
  ['text', 'text', 'any', 'any'],
  (quantifier, operator, value, container) => {
    if (isAbsent(container)) return UNDEFINED;
    const elements = toCollection(container);
    if (elements === undefined) {
      const reason = `${quantifier} takes a collection, not ${describeValue(container)}`;
      return new FunctionFailure('type', reason, 3);
    }
    // The binder writes no other text there.
    return quantify(quantifier === 'ANY', operator as ComparisonOperator, value, elements);
  },
  COLLECTIONS,
);

function quantify(
  deciding: boolean,
  operator: ComparisonOperator,
  value: Value,
  elements: List,
): FunctionOutcome {
  let outcome: FunctionOutcome = !deciding;
  for (const element of elements) {
    const truth = compareValues(operator, value, element);
    if (truth === deciding) return deciding;
    if (truth === 'mismatch') {
      const operands = `${describeValue(value)} with ${describeValue(element)}`;
      outcome = new FunctionFailure('type', `Cannot compare ${operands} by ${operator}`, 2);
    } else if (truth === UNDEFINED && !(outcome instanceof FunctionFailure)) {
      outcome = UNDEFINED;
    }
  }
  return outcome;
}

type SetOperator = 'union' | 'except' | 'intersect';

/**
 * UNION, EXCEPT and INTERSECT of two collections. With ALL duplicates count. Rows have the names of
 * the first select, and are compared by their values only.
 */
export function defineSetOperation(
  operator: SetOperator,
  isAll: boolean,
  names: readonly string[] | undefined,
): FunctionDefinition {
  const name = `${operator.toUpperCase()}${isAll ? ' ALL' : ''}`;
  const rename = (row: Value): Value =>
    names !== undefined && row instanceof Struct ? new Struct(names, row.values) : row;
  const run = operator === 'union' ? unite : operator === 'intersect' ? intersect : subtract;
  return defineStepwise(name, (left, right) => run({ left, right, rename, isAll }), {
    ...COLLECTIONS,
    isSetOperation: true,
  });
}

interface Operands {
  readonly left: List;
  readonly right: List;
  /** Gives a row of the right the names of the left. */
  readonly rename: (row: Value) => Value;
  readonly isAll: boolean;
}

function* unite({ left, right, rename, isAll }: Operands): Steps {
  const result = new ResultRows(isAll);
  yield* forEachRow(left, (row) => result.add(row));
  yield* forEachRow(right, (row) => result.add(rename(row)));
  return result.rows;
}

function intersect(operands: Operands): Steps {
  return pick(operands, true);
}

function subtract(operands: Operands): Steps {
  return pick(operands, false);
}

/** Rows of the left that the right has (or does not have): each once, or with duplicates. */
function* pick({ left, right, rename, isAll }: Operands, keepsCommon: boolean): Steps {
  const counts = new KeyMap<number>();
  yield* forEachRow(right, (row) => {
    const key = hashKey(rename(row));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  });
  const result = new ResultRows(isAll);
  yield* forEachRow(left, (row) => {
    const key = hashKey(row);
    const count = counts.get(key) ?? 0;
    if (isAll && count > 0) counts.set(key, count - 1);
    if (count > 0 === keepsCommon) result.add(row, key);
  });
  return result.rows;
}

/** The rows of a result in order; without ALL, the first of equal ones. */
class ResultRows {
  readonly rows: Value[] = [];
  readonly #seen: KeyMap<true> | undefined;

  constructor(isAll: boolean) {
    this.#seen = isAll ? undefined : new KeyMap();
  }

  add(row: Value, knownKey?: string): void {
    if (this.#seen?.add(knownKey ?? hashKey(row), true) !== false) this.rows.push(row);
  }
}

const ROWS_PER_STEP = 32;

function* forEachRow(rows: List, visit: (row: Value) => void): Generator<void> {
  for (const [at, row] of rows.entries()) {
    visit(row);
    if (at % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
}
