// Queries that ask for the entries with one value at one path and nothing else:
//
//     SELECT * FROM /orders o WHERE o.id = $1
//     SELECT o.total, o.status FROM /orders o WHERE 'a-17' = o.code
//
// Where an index holds the values at that path, the entries it names are the whole answer. They are
// few, so reading them by key costs less than to open columns, plan and run batches.

import { parseJson } from '../../value/json-parse.ts';
import { printJson } from '../../value/json-print.ts';
import type { ResultForm } from '../../value/result-form.ts';
import { Double, Float, Struct, type Value } from '../../value/value.ts';
import type { BoundExpression, BoundQuery, BoundSelect } from '../bind/bound-query.ts';
import { isAttributeName } from '../columnar/attribute-names.ts';
import { type CompiledSelect, compileQuery } from '../reference/compile-query.ts';
import { createEnvironment } from '../reference/environment.ts';
import type { Span } from '../syntax/position.ts';
import { printStored } from './vector/output/json-writer.ts';

export interface PointQuery {
  readonly region: string;
  /** The path, member by member. */
  readonly members: readonly string[];
  /** Where the sought value stands in the text; undefined when it is a parameter. */
  readonly literal: Span | undefined;
  /** What is sought; undefined for values that an index does not hold under one key. */
  key(parameters: readonly Value[]): number | string | undefined;
  /** The same for a text that says another literal in the place of this one's. */
  keyOf(literal: Value): number | string | undefined;
  /** The result row of an entry that was found. */
  printRow(text: string, form?: ResultForm): string;
}

/** Undefined for every query that is not of this form. */
export function findPointQuery(query: BoundQuery): PointQuery | undefined {
  const { body } = query;
  if (body.kind !== 'select' || !isPlain(body)) return undefined;
  const condition = splitEquality(body.where);
  const source = body.iterators[0]?.source;
  if (condition === undefined || source === undefined) return undefined;
  const isValues = source.kind === 'region-view' && source.view === 'values';
  if (source.kind !== 'region' && !isValues) return undefined;
  const { members } = condition.path;
  // A name that values also have as a method is not told by the stored member alone.
  if (members.length === 0 || members.some(isAttributeName)) return undefined;
  return {
    region: source.name,
    members,
    literal: condition.sought.kind === 'literal' ? condition.sought.span : undefined,
    key: (parameters) => indexKey(constantOf(condition.sought, parameters)),
    keyOf: indexKey,
    printRow: rowPrinter(query, body),
  };
}

/** One region, one condition, rows as they are found. A hint wants something of the planner. */
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
  readonly path: BoundExpression & { kind: 'path' };
  readonly sought: BoundExpression;
}

function splitEquality(where: BoundExpression | undefined): Equality | undefined {
  if (where?.kind !== 'comparison' || where.operator !== '=') return undefined;
  const { left, right } = where;
  if (left.kind === 'path' && isConstant(right)) return { path: left, sought: right };
  if (right.kind === 'path' && isConstant(left)) return { path: right, sought: left };
  return undefined;
}

function isConstant({ kind }: BoundExpression): boolean {
  return kind === 'literal' || kind === 'parameter';
}

function constantOf(expression: BoundExpression, parameters: readonly Value[]): Value | undefined {
  if (expression.kind === 'literal') return expression.value;
  return expression.kind === 'parameter' ? parameters[expression.slot] : undefined;
}

/** An index holds neither NaN nor -0, and no integers beyond 2^53. */
function indexKey(value: Value | undefined): number | string | undefined {
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
