// Queries that ask for the entries with one value at one path and nothing else, or with one value
// at each of several:
//
//     SELECT * FROM /orders o WHERE o.id = $1
//     SELECT o.total, o.status FROM /orders o WHERE 'a-17' = LOWER(o.code)
//     SELECT * FROM /orders o WHERE o.status = 'paid' AND o.customerId = 17
//
// Where an index holds just these values, the entries it names are the whole answer. They are
// few, so reading them by key costs less than to open columns, plan and run batches.

import { parseJson } from '../../value/json-parse.ts';
import { printJson } from '../../value/json-print.ts';
import type { ResultForm } from '../../value/result-form.ts';
import { Double, Float, Struct, type Value } from '../../value/value.ts';
import type { BoundExpression, BoundQuery, BoundSelect } from '../bind/bound-query.ts';
import { isAttributeName } from '../columnar/attribute-names.ts';
import { splitConjuncts } from '../columnar/conjuncts.ts';
import { termOf } from '../columnar/terms.ts';
import { type CompiledSelect, compileQuery } from '../reference/compile-query.ts';
import { createEnvironment } from '../reference/environment.ts';
import type { Span } from '../syntax/position.ts';
import { printStored } from './vector/output/json-writer.ts';
import { splitAttributes } from './vector/subqueries/split-attributes.ts';

export interface PointQuery {
  readonly region: string;
  /** What has to equal something, as terms of indexes; each once. */
  readonly terms: readonly string[];
  /** Where the value sought last stands in the text; undefined when it is a parameter. */
  readonly literal: Span | undefined;
  /**
   * What is sought, one key for each term; undefined for values that an index does not hold under
   * one key. `literal` stands for a text that says another literal in the place of this one's.
   */
  keys(parameters: readonly Value[], literal?: Value): readonly PointKey[] | undefined;
  /** The result row of an entry that was found. */
  printRow(text: string, form?: ResultForm): string;
}

export type PointKey = number | string;

/** Undefined for every query that is not of this form. */
export function findPointQuery(query: BoundQuery): PointQuery | undefined {
  const { body } = query;
  if (body.kind !== 'select' || !isPlain(body)) return undefined;
  const source = body.iterators[0]?.source;
  if (source === undefined) return undefined;
  const isValues = source.kind === 'region-view' && source.view === 'values';
  if (source.kind !== 'region' && !isValues) return undefined;
  const equalities = findEqualities(query);
  const last = equalities?.reduce((a, b) => (a.sought.span.start > b.sought.span.start ? a : b));
  if (equalities === undefined || last === undefined) return undefined;
  return {
    region: source.name,
    terms: equalities.map(({ term }) => term),
    literal: last.sought.kind === 'literal' ? last.sought.span : undefined,
    keys: (parameters, literal) => {
      const keys: PointKey[] = [];
      for (const equality of equalities) {
        const isOther = literal !== undefined && equality === last;
        const value = isOther ? literal : constantOf(equality.sought, parameters);
        const key = indexKey(value);
        if (key === undefined) return undefined;
        keys.push(key);
      }
      return keys;
    },
    printRow: rowPrinter(query, body),
  };
}

/** One region, rows as they are found. A hint wants something of the planner. */
function isPlain(select: BoundSelect): boolean {
  return (
    select.iterators.length === 1 &&
    select.shape !== 'count' &&
    select.grouping === undefined &&
    select.orderBy.length === 0 &&
    select.hints.length === 0 &&
    select.limit === undefined &&
    select.offset === undefined &&
    !select.distinct &&
    select.projections.every(({ expression }) => expression.kind === 'path')
  );
}

interface Equality {
  readonly term: string;
  readonly sought: BoundExpression;
}

/** WHERE as equalities between terms and constants; undefined if it is anything else. */
function findEqualities(query: BoundQuery): readonly [Equality, ...Equality[]] | undefined {
  const { body } = splitAttributes(query);
  const conjuncts = body.kind === 'select' ? splitConjuncts(body.where) : [];
  const equalities: Equality[] = [];
  for (const conjunct of conjuncts) {
    const equality = splitEquality(conjunct);
    if (equality === undefined || equalities.some(({ term }) => term === equality.term)) {
      return undefined;
    }
    equalities.push(equality);
  }
  const [first, ...others] = equalities;
  return first && [first, ...others];
}

function splitEquality(conjunct: BoundExpression): Equality | undefined {
  if (conjunct.kind !== 'comparison' || conjunct.operator !== '=') return undefined;
  const { left, right } = conjunct;
  const [subject, sought] = isConstant(right) ? [left, right] : [right, left];
  if (!isConstant(sought) || isConstant(subject)) return undefined;
  const term = termOf(subject, ({ members }) => {
    // A name that values also have as a method is not told by the stored member alone.
    return members.length === 0 || members.some(isAttributeName) ? undefined : [members];
  });
  return term === undefined ? undefined : { term, sought };
}

function isConstant({ kind }: BoundExpression): boolean {
  return kind === 'literal' || kind === 'parameter';
}

function constantOf(expression: BoundExpression, parameters: readonly Value[]): Value | undefined {
  if (expression.kind === 'literal') return expression.value;
  return expression.kind === 'parameter' ? parameters[expression.slot] : undefined;
}

/** An index holds neither NaN nor -0, and no integers beyond 2^53. */
function indexKey(value: Value | undefined): PointKey | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? value : undefined;
  const number = value instanceof Double || value instanceof Float ? value.value : value;
  if (typeof number !== 'number' || Number.isNaN(number)) return undefined;
  return Object.is(number, -0) ? undefined : number;
}

function rowPrinter(query: BoundQuery, select: BoundSelect): PointQuery['printRow'] {
  const [first] = select.projections;
  const isWhole = first?.expression.kind === 'path' && first.expression.members.length === 0;
  if (select.shape === 'bare' && isWhole) return printStored;
  const environment = createEnvironment([], new Map());
  let compiled: CompiledSelect | undefined;
  return (text, form) => {
    compiled ??= compileSelect(query);
    environment.rows[select.depth] = [parseJson(text)];
    const values = compiled.projections.map(({ evaluate }) => evaluate(environment));
    const [bare = null] = values;
    return printJson(select.shape === 'bare' ? bare : new Struct(compiled.names, values), form);
  };
}

/** Paths remember nothing from one run to the next, so one compilation serves them all. */
function compileSelect(query: BoundQuery): CompiledSelect {
  const { body } = compileQuery(query);
  if (body.kind !== 'select') throw new Error('a point query is a select');
  return body;
}
