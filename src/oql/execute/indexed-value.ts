// The indexed value of each entry: the value at a path, a computed value, or several of these as
// one key. The reference evaluator computes them, so that they equal what a query would compute.

import type { SourceColumn } from '../../value/column-data.ts';
import type { ColumnPath } from '../../value/column-path.ts';
import type { IndexQuery } from '../bind/bind-index.ts';
import { mapChanged } from '../bind/bound-children.ts';
import type { BoundExpression } from '../bind/bound-query.ts';
import { regionSourceOf } from '../bind/region-source.ts';
import { type IndexKey, indexKeyOf, joinKeys, NO_KEY } from '../columnar/index-key.ts';
import { columnNumberFinder, shapeSelect, type VectorShape } from '../columnar/shape.ts';
import { termFinder } from '../columnar/terms.ts';
import { OqlError } from '../errors.ts';
import { JSON_METHOD_NAMES } from '../methods/method-names.ts';
import { compileExpression, rowsAlone } from '../reference/compile-expression.ts';
import { createEnvironment, type Environment, tryEvaluate } from '../reference/environment.ts';
import { Frame, locateRows } from './vector/frames/frame.ts';
import { RowBuilder } from './vector/frames/row-builder.ts';
import { splitAttributes } from './vector/subqueries/split-attributes.ts';

export type IndexedValue =
  | { readonly kind: 'path'; readonly path: ColumnPath }
  | { readonly kind: 'computed'; readonly terms: readonly string[]; readonly source: KeySource }
  /** No query could use such an index. */
  | { readonly kind: 'useless'; readonly reason: string };

/** Where the keys of an index on computed values come from. */
export interface KeySource {
  readonly inputs: readonly ColumnPath[];
  /** The key of a row, from the columns at `inputs`. */
  open(columns: readonly SourceColumn[]): (row: number) => IndexKey;
}

export function describeIndexed({ query, select }: IndexQuery): IndexedValue {
  const shape = shapeSelect(splitAttributes(query).body);
  const views = select.iterators.map(({ source }) => regionSourceOf(source)?.view ?? 'values');
  if (views.some((view) => view !== 'values'))
    return useless('the keys of entries need no index, and whole entries have no order');
  if (!('select' in shape)) return useless(shape.reason);
  const [first, second] = shape.select.projections;
  if (first?.expression.kind === 'path' && second === undefined) {
    const path = shape.columns[columnNumberFinder(shape.columns)(first.expression)]?.path;
    return path === undefined ? useless('it is on whole values') : { kind: 'path', path };
  }
  if (shape.iterators.length > 1) {
    return useless('computed or several values are indexed over a region alone, not over items');
  }
  return describeComputed(shape, query.text);
}

function describeComputed(shape: VectorShape, text: string): IndexedValue {
  const findTerm = termFinder(shape);
  const { projections } = shape.select;
  const terms = projections.flatMap(({ expression }) => findTerm(expression)?.term ?? []);
  if (terms.length < projections.length)
    return useless('a value in it is the same for every entry');
  if (new Set(terms).size < terms.length) return useless('it names a value twice');
  return { kind: 'computed', terms, source: createKeySource(shape, text) };
}

function useless(reason: string): IndexedValue {
  return { kind: 'useless', reason };
}

function createKeySource(shape: VectorShape, text: string): KeySource {
  const { select } = shape;
  const inputs = shape.columns.map(({ path }) => path);
  return {
    inputs,
    open: (columns) => {
      const read = columns.map((column) => ({ iterator: 0, column }));
      const builder = new RowBuilder(shape.columns, 1);
      const environment = createEnvironment([], new Map());
      const evaluations = select.projections.map(({ expression }) =>
        evaluateBothWays(expression, text),
      );
      return (row) => {
        const frame = new Frame(1, [locateRows(Uint32Array.of(row))], read);
        builder.enter(environment, select.depth, frame, 0);
        const keys = evaluations.map((evaluate) => evaluate(environment));
        if (keys.includes(NO_KEY)) return NO_KEY;
        return keys.length === 1 ? keys[0] : joinKeys(keys);
      };
    },
  };
}

type EvaluateKey = (environment: Environment) => IndexKey;
/**
 * The key of an expression. `x.toLowerCase` and `x.toLowerCase()` are one term, so where the two
 * differ the row has no key.
 */
function evaluateBothWays(expression: BoundExpression, text: string): EvaluateKey {
  const member = rewriteCalls(expression, 'member');
  const method = rewriteCalls(expression, 'method');
  const asMethod = evaluateKey(method, text);
  if (member === method) return asMethod;
  const asMember = evaluateKey(member, text);
  return (environment) => {
    const key = asMethod(environment);
    return asMember(environment) === key ? key : NO_KEY;
  };
}

function evaluateKey(expression: BoundExpression, text: string): EvaluateKey {
  const evaluate = compileExpression(expression, rowsAlone(text));
  return (environment) => {
    const value = tryEvaluate(evaluate, environment);
    return value instanceof OqlError ? NO_KEY : indexKeyOf(value);
  };
}

/** Writes calls of methods without arguments in one of both ways; itself if there are none. */
function rewriteCalls(expression: BoundExpression, kind: 'member' | 'method'): BoundExpression {
  const rewrite = (node: BoundExpression): BoundExpression => {
    const changed = mapChanged(node, rewrite);
    if (changed.kind !== 'member' && changed.kind !== 'method') return changed;
    const isBare = changed.kind === 'member' || changed.arguments.length === 0;
    if (!isBare || !JSON_METHOD_NAMES.has(changed.name)) return changed;
    const { target, name, span } = changed;
    return kind === 'member'
      ? { kind, target, name, span }
      : { kind, target, name, arguments: [], span };
  };
  return rewrite(expression);
}
