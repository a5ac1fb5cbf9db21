// Conditions on one path that have no loop: `UPPER(o.name) = 'ANN'`, `YEAR(o.at) = 2024`, `o.at <
// DATE '2024-03-01'`. The reference evaluator decides them, but only once for each distinct text of
// the column.

import type { Dictionary } from '../../../../value/column-data.ts';
import { Char, isAbsent, isNumeric, Temporal, type Value } from '../../../../value/value.ts';
import { someChild } from '../../../bind/bound-children.ts';
import type { BoundExpression } from '../../../bind/bound-query.ts';
import { printBound } from '../../../bind/print-bound.ts';
import { pathsIn } from '../../../bind/references.ts';
import type { Runtime } from '../runtime.ts';
import { byString, type Predicate, tagTable } from './predicate.ts';
import { ANY_STATE, UNFINISHED, UNSURE_STATE } from './states.ts';

/** About sixty texts are evaluated between two yield points. */
const TEXT_COST = 512;

/** Undefined if a condition is on more than one path. Numbers and composites stay UNSURE. */
export function filterTexts(condition: BoundExpression, runtime: Runtime): Predicate | undefined {
  const [path, ...others] = pathsIn(condition);
  if (path === undefined) return undefined;
  const columnNumber = runtime.columnNumberOf(path);
  if (others.some((other) => runtime.columnNumberOf(other) !== columnNumber)) return undefined;
  const { read, strings, testResults } = runtime.column(path);
  let compiled: Predicate | undefined;
  // Compiled with the first frame, because many conditions are never evaluated.
  const compile = (): Predicate => {
    const rowFilter = runtime.rowFilter(condition, path);
    const table = tagTable((value) =>
      isAbsent(value) || typeof value === 'boolean' ? rowFilter(value) : UNSURE_STATE,
    );
    // With parameters, NOW() or the result of a subquery, outcomes hold for this query alone.
    const isShared = !hasParameter(condition);
    const cache = isShared ? testResults : new Map<string, Uint8Array>();
    const name = isShared ? `text ${printBound(condition)}` : 'text';
    const test = (dictionary: Dictionary, id: number): number => rowFilter(dictionary.text(id));
    return byString({ read, strings, testResults: cache }, name, test, table, TEXT_COST);
  };
  return (frame, states) => {
    compiled ??= compile();
    return compiled(frame, states) === UNFINISHED ? UNFINISHED : ANY_STATE;
  };
}

function hasParameter(condition: BoundExpression): boolean {
  if (condition.kind === 'parameter' || condition.kind === 'rows-by-key') return true;
  // A subquery result has no text.
  if (condition.kind === 'literal') return isComposite(condition.value);
  // The pattern of LIKE is no child of it.
  if (condition.kind === 'like' && hasParameter(condition.pattern)) return true;
  return someChild(condition, hasParameter);
}

function isComposite(value: Value): boolean {
  if (typeof value !== 'object' || value === null || isNumeric(value)) return false;
  return !(value instanceof Char || value instanceof Temporal);
}
