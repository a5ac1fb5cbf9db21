// Random queries that an index may answer by itself.

import type { Choices } from './choices.ts';
import { computed, condition, pathCondition } from './generate-expression.ts';
import { limit } from './generate-select.ts';
import { literal, path, type Scope } from './query-scope.ts';

/** Queries of one region and one path, with at most a condition on it. */
export function simple(choices: Choices, name: string): string {
  const scope = scopeOf(name);
  const one = choices.chance(30) ? computed(choices, name) : path(choices, scope);
  const from = `FROM /${name === 'c' ? 'q' : 'r'} ${name}`;
  const where = choices.chance(50) ? ` WHERE ${pathCondition(choices, one)}` : '';
  const also = where !== '' && choices.chance(30) ? ` AND ${condition(choices, scope, 1)}` : '';
  const rest = `${from}${where}${also}`;
  const direction = choices.of('', ' DESC');
  const second = choices.chance(30) ? `, ${path(choices, scope)}${choices.of('', ' DESC')}` : '';
  switch (choices.below(5)) {
    case 0:
      return `SELECT COUNT(*) ${rest}${limit(choices, scope)}`;
    case 1:
      return `SELECT MIN(${one}) AS a, MAX(${one}) AS b ${rest}`;
    case 2:
      return `SELECT DISTINCT ${one} ${rest}${choices.chance(40) ? ` ORDER BY ${one}${direction}${second}` : ''}${limit(choices, scope)}`;
    default:
      return `SELECT ${choices.of('*', one, `${one}, ${path(choices, scope)} AS z`)} ${rest} ORDER BY ${one}${direction}${second} LIMIT ${choices.below(9)}${choices.of('', ' OFFSET 2')}`;
  }
}

/** The first paths of indexes on several values, and the later ones. */
const SEVERAL: readonly (readonly string[])[] = [
  ['s', 'n'],
  ['n', 'm'],
  ['b', 'd', 't'],
];

/** Queries for an index on several values: some fixed, then a range or an order. */
export function severalValues(choices: Choices, name: string): string {
  const scope = scopeOf(name);
  const values = choices.chance(80)
    ? choices.of(...SEVERAL).map((member) => `${name}.${member}`)
    : [`LOWER(${name}.t)`, `${name}.m`];
  const fixed = choices.below(values.length + 1);
  const conditions = values
    .slice(0, fixed)
    .map((value) =>
      choices.chance(80)
        ? `${value} = ${literal(choices)}`
        : `${value} IN SET(${literal(choices)}, ${literal(choices)})`,
    );
  const next = values[fixed];
  if (next !== undefined && choices.chance(60)) conditions.push(pathCondition(choices, next));
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const direction = choices.of('', ' DESC');
  const sorted = values.slice(choices.chance(80) ? fixed : 0);
  const order =
    sorted.length > 0 && choices.chance(60)
      ? ` ORDER BY ${sorted.map((value) => `${value}${direction}`).join(', ')}`
      : '';
  const projection = order === '' && choices.chance(40) ? 'COUNT(*)' : choices.of('*', `${name}.k`);
  return `SELECT ${projection} FROM /${name === 'c' ? 'q' : 'r'} ${name}${where}${order}${limit(choices, scope)}`;
}

function scopeOf(name: string): Scope {
  return { documents: [name], items: [], parts: [] };
}
