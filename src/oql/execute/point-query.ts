// Point queries: a look-up finds their rows (`plan/point-lookup.ts`), which are returned as they
// are found. They are few, so reading them by key costs less than opening columns, planning and
// running batches.

import { parseJson } from '../../value/json-parse.ts';
import { printJson } from '../../value/json-print.ts';
import type { ResultForm } from '../../value/result-form.ts';
import { printStored } from '../../value/stored-json.ts';
import { Struct } from '../../value/value.ts';
import type { BoundQuery, BoundSelect } from '../bind/bound-query.ts';
import { findPointLookup, type PointLookup } from '../plan/point-lookup.ts';
import { type CompiledSelect, compileSelect } from '../reference/compile-query.ts';
import { createEnvironment } from '../reference/environment.ts';
import { isPlain } from './vector/subqueries/merge-from.ts';
import { splitAttributes } from './vector/subqueries/split-attributes.ts';

export interface PointQuery {
  readonly lookup: PointLookup;
  /** The result row of an entry that was found. */
  printRow(text: string, form?: ResultForm): string;
}

export function findPointQuery(query: BoundQuery): PointQuery | undefined {
  const { body } = query;
  // A hint needs the planner.
  if (body.kind !== 'select' || !isPlain(body) || body.hints.length > 0) return undefined;
  const split = splitAttributes(query).body;
  const lookup = split.kind === 'select' ? findPointLookup(split) : undefined;
  return lookup && { lookup, printRow: rowPrinter(query, body) };
}

function rowPrinter(query: BoundQuery, select: BoundSelect): PointQuery['printRow'] {
  const [first] = select.projections;
  const isWhole = first?.expression.kind === 'path' && first.expression.members.length === 0;
  if (select.shape === 'bare' && isWhole) return printStored;
  const environment = createEnvironment([], new Map());
  let compiled: CompiledSelect | undefined;
  return (text, form) => {
    // Paths have no state between runs, so one compilation serves all runs.
    compiled ??= compileSelect(query);
    environment.rows[select.depth] = [parseJson(text)];
    const values = compiled.projections.map(({ evaluate }) => evaluate(environment));
    const [bare = null] = values;
    return printJson(select.shape === 'bare' ? bare : new Struct(compiled.names, values), form);
  };
}
