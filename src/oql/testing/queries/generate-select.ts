// Random selects over a FROM clause: plain ones and grouped ones.

import type { Choices } from './choices.ts';
import { numeric, value } from './generate-expression.ts';
import { path, type Scope } from './query-scope.ts';

export function plain(choices: Choices, scope: Scope, rest: string): string {
  const distinct = choices.chance(25) ? 'DISTINCT ' : '';
  if (choices.chance(12)) return `SELECT ${distinct}COUNT(*) ${rest}${limit(choices, scope)}`;
  const projections = choices.chance(12)
    ? '*'
    : choices
        .some(3, () => value(choices, scope, 1))
        .map((each, index) =>
          choices.chance(60) ? `${each} AS ${nameOf(choices, scope, `p${index}`)}` : each,
        )
        .join(', ');
  const order = choices.chance(40)
    ? ` ORDER BY ${choices.some(2, () => `${path(choices, scope)}${choices.of('', ' ASC', ' DESC')}${choices.of('', '', ' NULLS LAST', ' NULLS FIRST')}`).join(', ')}`
    : '';
  return `SELECT ${distinct}${projections} ${rest}${order}${limit(choices, scope)}`;
}

export function grouped(choices: Choices, scope: Scope, rest: string): string {
  const keys = choices.chance(25) ? [] : [...new Set(choices.some(2, () => path(choices, scope)))];
  const aggregates = choices.some(3, () => aggregate(choices, scope));
  const named = [
    ...keys.map((key, index) => `${key} AS k${index}`),
    ...aggregates.map((each, index) => `${each} AS a${index}`),
  ];
  const groupBy = keys.length === 0 ? '' : ` GROUP BY ${keys.join(', ')}`;
  const having =
    keys.length > 0 && choices.chance(15)
      ? ` HAVING ${choices.of('COUNT(*)', aggregate(choices, scope))} > 1`
      : '';
  const order = keys.length > 0 && choices.chance(30) ? ` ORDER BY ${choices.of('a0', 'k0')}` : '';
  return `SELECT ${named.join(', ')} ${rest}${groupBy}${having}${order}${limit(choices, scope)}`;
}

export function aggregate(choices: Choices, scope: Scope): string {
  const distinct = choices.chance(20) ? 'DISTINCT ' : '';
  switch (choices.below(10)) {
    case 0:
      return 'COUNT(*)';
    case 1:
      return `COUNT(${distinct}${path(choices, scope)})`;
    case 2:
      return `SUM(${distinct}${numeric(choices, scope)})`;
    case 3:
      return `AVG(${distinct}${numeric(choices, scope)})`;
    case 4:
      return `MIN(${path(choices, scope)})`;
    case 5:
      return `${choices.of('VARIANCE', 'STDDEV')}(${distinct}${numeric(choices, scope)})`;
    case 6:
      return `MEDIAN(${distinct}${numeric(choices, scope)})`;
    case 7:
      return `ARRAY_AGG(${distinct}${path(choices, scope)})`;
    case 8:
      return `${choices.of('FIRST', 'LAST')}(${path(choices, scope)})`;
    default:
      return `MAX(${numeric(choices, scope)})`;
  }
}

export function limit(choices: Choices, scope: Scope): string {
  const offset = choices.chance(15) ? ` OFFSET ${rowCount(choices, scope, 4)}` : '';
  return choices.chance(30) ? ` LIMIT ${rowCount(choices, scope, 6)}${offset}` : '';
}

function rowCount(choices: Choices, scope: Scope, bound: number): string {
  const count = String(choices.below(bound));
  return scope.operand === undefined ? count : choices.of(count, '$2', ':limit');
}

/** A name for a projection. */
function nameOf(choices: Choices, { names }: Scope, usual: string): string {
  return names === undefined ? usual : choices.of(...names);
}
