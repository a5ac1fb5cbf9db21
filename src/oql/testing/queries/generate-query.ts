// The generator of queries for tests. Its queries can be bound against the regions `r` and `q` of
// generated documents (`generate-document.ts`). They are valid, but operators get operands of every
// kind, so many queries fail at run time; evaluators must agree on failures too.
// `generate-grammar.ts` uses the same parts for queries that are only parsed.

import type { Choices } from './choices.ts';
import { condition, value } from './generate-expression.ts';
import { generateFrom } from './generate-from.ts';
import { severalValues, simple } from './generate-indexed.ts';
import { grouped, limit, plain } from './generate-select.ts';
import { member, path, type Scope } from './query-scope.ts';

export function generateQuery(choices: Choices): string {
  const { from, scope, joins } = generateFrom(choices);
  const conditions = choices.chance(80) ? [...joins, condition(choices, scope, 3)] : joins;
  const body = choices.chance(35) ? grouped : plain;
  if (choices.chance(20)) return simple(choices, choices.of('o', 'o', 'c'));
  if (choices.chance(8)) return severalValues(choices, choices.of('o', 'o', 'c'));
  if (choices.chance(4)) return combined(choices);
  return body(choices, scope, `FROM ${from}${whereOf(conditions)}`);
}

/** Queries over queries: set operations and WITH. */
function combined(choices: Choices): string {
  const scope = (name: string): Scope => ({ documents: [name], items: [], parts: [] });
  const part = (name: string): string =>
    `SELECT ${name}.${member(choices)} FROM /${choices.of('r', 'q')} ${name} WHERE ${condition(choices, scope(name), 1)}`;
  if (choices.chance(50)) {
    const operation = choices.of('UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT');
    const order = choices.chance(40) ? ' ORDER BY 1' : '';
    return `${part('o')} ${operation} ${part('c')}${order}${limit(choices, scope('o'))}`;
  }
  const inner = `SELECT * FROM /r w WHERE ${condition(choices, scope('w'), 1)}`;
  const where = choices.chance(60) ? ` WHERE ${condition(choices, scope('o'), 1)}` : '';
  return `WITH t AS (${inner}) SELECT o.${member(choices)} FROM t o${where}${limit(choices, scope('o'))}`;
}

function whereOf(conditions: readonly string[]): string {
  return conditions.length === 0
    ? ''
    : ` WHERE ${conditions.map((each) => `(${each})`).join(' AND ')}`;
}

/** The parts of a select without LIMIT, DISTINCT and aggregates, and one more condition. */
export interface PlainQuery {
  readonly from: string;
  readonly projections: string;
  readonly where: string;
  readonly condition: string;
  readonly order: string;
}

export function generatePlainQuery(choices: Choices): PlainQuery {
  const { from, scope, joins } = generateFrom(choices);
  const conditions = choices.chance(50) ? [...joins, condition(choices, scope, 3)] : joins;
  const keys = [...new Set(choices.some(2, () => path(choices, scope)))];
  const columns = keys.map((key, index) => `${key} AS c${index}`);
  return {
    from,
    projections: [...columns, `${value(choices, scope, 2)} AS v`].join(', '),
    where: conditions.map((each) => `(${each})`).join(' AND '),
    condition: condition(choices, scope, 3),
    order: choices.chance(50) ? ` ORDER BY ${keys[0]}${choices.of('', ' DESC')}` : '',
  };
}

/** The text of a plain query, with a further condition or DISTINCT if asked for. */
export function printPlain(query: PlainQuery, extra = '', distinct = ''): string {
  const conditions = [query.where, extra].filter((each) => each !== '');
  return `SELECT ${distinct}${query.projections} FROM ${query.from}${whereOf(conditions)}${query.order}`;
}
