// Random values and conditions over the iterators of a scope.

import type { Choices } from './choices.ts';
import { literal, member, numberPath, operator, path, type Scope } from './query-scope.ts';

export function numeric(choices: Choices, scope: Scope): string {
  const one =
    scope.items.length > 0 && choices.chance(40)
      ? `${scope.items[0]}.q`
      : numberPath(choices, scope);
  if (!choices.chance(30)) return one;
  return `${one} ${arithmetic(choices)} ${choices.of('2', '1.5', '0', numberPath(choices, scope))}`;
}

export function value(choices: Choices, scope: Scope, depth: number): string {
  if (depth === 0 || choices.chance(70)) return path(choices, scope);
  switch (choices.below(14)) {
    case 6:
    case 7:
      return call(choices, scope);
    case 8:
      return `${path(choices, scope)} || ${choices.of("'-'", path(choices, scope))}`;
    case 9:
      return `-(${choices.of(numberPath(choices, scope), value(choices, scope, depth - 1))})`;
    case 10:
      return `${path(choices, scope)}[${choices.of('0', "'x'")}]`;
    case 11:
      return `(${value(choices, scope, depth - 1)}) ${arithmetic(choices)} (${value(choices, scope, depth - 1)})`;
    case 12:
      return `${path(choices, scope)}.${choices.of('substring(1)', "contains('a')", 'isEmpty', 'size')}`;
    case 13:
      return `CASE (${path(choices, scope)}) WHEN ${literal(choices)} THEN ${path(choices, scope)} END`;
    case 0:
      return numeric(choices, scope);
    case 1:
      return literal(choices);
    case 2:
      return `NVL(${path(choices, scope)}, ${choices.of(literal(choices), path(choices, scope))})`;
    case 3:
      return `CASE WHEN ${condition(choices, scope, 1)} THEN ${path(choices, scope)} ELSE ${literal(choices)} END`;
    case 4:
      return `${path(choices, scope)}.length`;
    default:
      return `${path(choices, scope)}.toString()`;
  }
}

/** Calls of functions, mostly with values of the right type. */
function call(choices: Choices, scope: Scope): string {
  const document = choices.of(...scope.documents);
  const text = `${document}.${choices.of('s', 't', 'o.y', member(choices))}`;
  const number = `${document}.${choices.of('n', 'm', 'd', member(choices))}`;
  return choices.of(
    `UPPER(${text})`,
    `SUBSTRING(${text}, 1, 2)`,
    `CONCAT(${text}, ${number})`,
    `LENGTH(${document}.${choices.of('tags', 's')})`,
    `ROUND(${number}, ${choices.of('0', '1')})`,
    `ABS(${number})`,
    `MOD(${number}, 2)`,
    `COALESCE(${path(choices, scope)}, ${path(choices, scope)}, 0)`,
    `NULLIF(${path(choices, scope)}, ${literal(choices)})`,
    `TYPEOF(${path(choices, scope)})`,
    `CAST(${path(choices, scope)} AS ${choices.of('int', 'string', 'double')})`,
    `GREATEST(${number}, 2)`,
    `YEAR(NOW()) + ${number}`,
    `YEAR(${document}.at)`,
    `DATE_TRUNC('day', ${document}.at)`,
    `DATE_ADD(${document}.at, 1, 'day')`,
  );
}

export function condition(choices: Choices, scope: Scope, depth: number): string {
  if (depth > 0 && choices.chance(40)) {
    const operands = [0, 1].map(() => condition(choices, scope, depth - 1));
    switch (choices.below(4)) {
      case 0:
        return `(${operands.join(' OR ')})`;
      case 1:
        return `NOT (${operands[0]})`;
      default:
        return `(${operands.join(' AND ')})`;
    }
  }
  const one = path(choices, scope);
  switch (choices.below(20)) {
    case 16:
      return `${one} IN (${[literal(choices), ...choices.some(2, () => choices.of(literal(choices), one))].join(', ')})`;
    case 17:
      return choices.of(
        `${one} ILIKE 'A%'`,
        `${one} IS ${choices.of('', 'NOT ')}${choices.of('NUMBER', 'STRING', 'LIST', 'MISSING')}`,
        `${one} ${operator(choices)} ${choices.of('ANY', 'ALL')} (SET(1, 2, ${literal(choices)}))`,
        `${one} ${operator(choices)} ${choices.of('ANY', 'ALL')} (${literal(choices)}, ${one})`,
      );
    case 18:
      return choices.chance(50)
        ? pathCondition(choices, computed(choices, choices.of(...scope.documents)))
        : `${call(choices, scope)} ${operator(choices)} ${literal(choices)}`;
    case 19:
      return `${one} ${operator(choices)} (SELECT MAX(x.${member(choices)}) FROM /q x)`;
    case 14:
      // The reference evaluator runs such a subquery for every combination of rows.
      if (scope.isJoined !== true && scope.items.length === 0) return correlated(choices, scope);
      return `${one} = 1`;
    case 15:
      return `${choices.of(...scope.documents)}.${choices.of('tags.size', 's.length', 'size', 'o.size')} ${operator(choices)} ${choices.of('1', '2')}`;
    case 13:
      return choices.of('1 = 1', '2 < 1', 'NULL', `(${one} = 1 OR 1 = 2)`, `(${one} > 0 AND TRUE)`);
    case 12:
      return `${one} IN (SELECT x.${member(choices)} FROM /q x WHERE x.n ${operator(choices)} 1)`;
    case 0:
      return `${one} ${choices.of('', '', 'NOT ')}LIKE ${choices.of("'a%'", "'%b'", "'%b%'", "'_'", "'a\\_b'", "'%'", "'a'", "'_b%'")}`;
    case 1:
      return `${one} IN SET(${choices.some(3, () => literal(choices)).join(', ')})`;
    case 2:
      return choices.of(
        `IS_DEFINED(${one})`,
        `IS_UNDEFINED(${one})`,
        `${one} IS NULL`,
        `${one} IS NOT NULL`,
      );
    case 3:
      return one;
    case 4:
      return `${one} ${operator(choices)} ${path(choices, scope)}`;
    case 5:
      return `${numeric(choices, scope)} ${operator(choices)} ${choices.of('2', '2.5', '0')}`;
    case 6:
      return `${literal(choices)} ${operator(choices)} ${one}`;
    case 7:
      return `${numberPath(choices, scope)} BETWEEN 1 AND ${choices.of('2', '3.5')}`;
    case 8:
      return `${numberPath(choices, scope)} ${operator(choices)} ${choices.of('0', '1', '2', '2.5')}`;
    case 9:
      return `${choices.of(...scope.documents)}.${choices.of('s', 't', 'o.y')} ${operator(choices)} ${choices.of("'a'", "'ab'", "'b'")}`;
    default:
      return `${one} ${operator(choices)} ${literal(choices)}`;
  }
}

/** Correlated subqueries, mostly with equalities. */
function correlated(choices: Choices, scope: Scope): string {
  const outer = choices.of(...scope.documents);
  const tie = choices.chance(90)
    ? `x.${member(choices)} = ${outer}.${member(choices)}`
    : `x.n ${operator(choices)} ${outer}.n`;
  const second = choices.chance(25) ? ` AND x.m = ${outer}.m` : '';
  const filter = choices.chance(40) ? ` AND x.${member(choices)} ${operator(choices)} 1` : '';
  const rest = `FROM /q x WHERE ${tie}${second}${filter}`;
  const cut = choices.chance(20) ? ` LIMIT ${choices.below(3)}` : '';
  const order = choices.chance(20) ? ` ORDER BY x.n${choices.of('', ' DESC')}` : '';
  switch (choices.below(9)) {
    case 7:
      return `EXISTS (SELECT * ${rest})`;
    case 8:
      return `${outer}.n ${operator(choices)} (SELECT MAX(x.n) ${rest})`;
    case 0:
      return `(SELECT * ${rest}${order}${cut}).size > ${choices.below(2)}`;
    case 1:
      return `${outer}.${member(choices)} IN (SELECT ${choices.of('', 'DISTINCT ')}x.${member(choices)} ${rest}${order}${cut})`;
    case 2:
      return `ELEMENT(SELECT COUNT(*) ${rest}) ${operator(choices)} ${choices.below(3)}`;
    case 3:
      return `ELEMENT(SELECT x.n ${rest} LIMIT 1) = 1`;
    case 4:
      return `(SELECT x.s, x.n ${rest}${cut}).isEmpty`;
    case 5:
      return `(SELECT x.s, SUM(x.n) AS total ${rest} GROUP BY x.s${choices.of('', ' HAVING COUNT(*) > 1')}).size = 1`;
    default:
      return `ELEMENT(SELECT MAX(x.n) ${rest}) ${operator(choices)} 2`;
  }
}

/** Expressions that indexes on computed values contain. */
export function computed(choices: Choices, document: string): string {
  return choices.of(
    `LOWER(${document}.s)`,
    `${document}.s.toUpperCase()`,
    `${document}.s.toUpperCase`,
    `${document}.n + 1`,
    `${document}.n * ${document}.m`,
    `LENGTH(${document}.t)`,
    `YEAR(${document}.at)`,
    `DATE_TRUNC('month', ${document}.at)`,
  );
}

export function pathCondition(choices: Choices, one: string): string {
  return choices.of(
    `${one} ${operator(choices)} ${literal(choices)}`,
    `${one} IN SET(${choices.some(3, () => literal(choices)).join(', ')})`,
    `${one} LIKE ${choices.of("'a%'", "'%b'", "'ab'", "'a\\_b'")}`,
    `${one} IS NULL`,
    `${one} IS NOT NULL`,
    `IS_DEFINED(${one})`,
    `${one} BETWEEN 0 AND 3`,
    `${one} >= 'a' AND ${one} < 'b'`,
    `${one} ${operator(choices)} ${choices.of("DATE '2024-01-01'", "TO_DATE('2024-02-01', 'yyyy-MM-dd')")}`,
  );
}

/** Conditions that key order may serve; the keys are k0, k1 and so on. */
export function keyCondition(choices: Choices, key: string): string {
  return choices.of(
    `${key} ${operator(choices)} '${choices.of('k2', 'k11', 'k', 'none')}'`,
    `${key} IN SET('k${choices.below(30)}', 'k3', ${literal(choices)})`,
    `${key} LIKE '${choices.of('k1%', 'k_', 'k2', '%1')}'`,
    `${key} BETWEEN 'k1' AND 'k${choices.below(30)}'`,
    `${key} = ${literal(choices)} OR ${key} = 'k${choices.below(30)}'`,
  );
}

function arithmetic(choices: Choices): string {
  return choices.of('+', '-', '*', '/', '%');
}
