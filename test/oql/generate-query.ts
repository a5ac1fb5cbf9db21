// Random documents and queries that fit each other well enough to find rows, and badly enough to
// meet every kind of value everywhere. Driven by one seeded source of choices, so that a failure
// can be run again by its seed.

export class Choices {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to below `bound`. */
  below(bound: number): number {
    // Mulberry32: small, fast, good enough to make choices.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  of<Item>(...items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  some<Item>(most: number, make: () => Item): Item[] {
    return Array.from({ length: 1 + this.below(most) }, make);
  }
}

/**
 * Mostly numbers in `n`, strings in `s` and so on; sometimes anything anywhere, unless the data is
 * to be tidy, as most data is: then members have one type, or are null or missing.
 */
export function generateDocument(choices: Choices, data: 'tidy' | 'any' = 'any'): string {
  const isTidy = data === 'tidy';
  if (!isTidy && choices.chance(2)) return choices.of('null', '1', '"x"', '[1,2]', 'true');
  const members: string[] = [];
  const add = (name: string, make: () => string): void => {
    if (choices.chance(8)) return;
    const isOdd = choices.chance(4);
    members.push(`"${name}":${isOdd ? (isTidy ? 'null' : anything(choices)) : make()}`);
  };
  add('n', () => String(choices.below(7) - 1));
  add('m', () => choices.of('1', '2', '2.0', '2.5', '10', '0', '1.50', '3e0'));
  add('d', () => choices.of('0.5', '1.25', '100.75', '-3.5', '2.0', '7'));
  add('s', () => word(choices));
  add('t', () => word(choices));
  add('b', () => choices.of('true', 'false'));
  add('o', () => `{"x":${choices.below(4)},"y":${word(choices)}}`);
  add('items', () => `[${choices.chance(15) ? '' : choices.some(3, () => item(choices)).join()}]`);
  add('tags', () => `[${choices.some(3, () => word(choices)).join()}]`);
  add('at', () => moment(choices));
  return `{${members.join()}}`;
}

function item(choices: Choices): string {
  if (choices.chance(4)) return anything(choices);
  const parts = choices.some(2, () => `{"w":${choices.below(3)}}`).join();
  return `{"sku":${word(choices)},"q":${choices.below(5)},"parts":[${parts}]}`;
}

function word(choices: Choices): string {
  return choices.of('"a"', '"ab"', '"abc"', '"b"', '"B"', '""', '"a_b"', '"\\u00e9"', '"50%"');
}

/** Texts with a date, in more than one spelling of the same moment. */
function moment(choices: Choices): string {
  return choices.of(
    '"2024-01-01"',
    '"2024-02-29T10:00:00Z"',
    '"2024-02-29T11:00:00+01:00"',
    '"2023-12-31T23:59:59.5Z"',
    '"2025-06-15 08:30"',
  );
}

function anything(choices: Choices): string {
  const values = ['null', 'true', '3', '2.0', '"a"', '[]', '[1]', '{}', '{"x":1}', '-0', '-0.0'];
  return choices.of(
    ...values,
    '9007199254740993',
    '1e400',
    '"\\ud83d\\ude00"',
    '12345678901234567',
  );
}

/** Iterators that the expressions of a query may speak of, by what their values are like. */
interface Scope {
  readonly documents: readonly string[];
  readonly items: readonly string[];
  readonly parts: readonly string[];
  /** Whether its rows are combinations of those of several regions. */
  readonly isJoined?: boolean;
}

export function generateQuery(choices: Choices): string {
  const { from, scope, joins } = generateFrom(choices);
  const where = [...joins];
  if (choices.chance(80)) where.push(condition(choices, scope, 3));
  const filter =
    where.length === 0 ? '' : ` WHERE ${where.map((each) => `(${each})`).join(' AND ')}`;
  const body = choices.chance(35) ? grouped : plain;
  if (choices.chance(20)) return simple(choices, choices.of('o', 'o', 'c'));
  if (choices.chance(8)) return severalValues(choices, choices.of('o', 'o', 'c'));
  if (choices.chance(4)) return combined(choices);
  return body(choices, scope, `FROM ${from}${filter}`);
}

/** What an index may answer by itself: one region, one path, at most a condition on it. */
function simple(choices: Choices, name: string): string {
  const scope = { documents: [name], items: [], parts: [] };
  const one = choices.chance(30) ? computed(choices, name) : path(choices, scope);
  const from = `FROM /${name === 'c' ? 'q' : 'r'} ${name}`;
  const where = choices.chance(50) ? ` WHERE ${pathCondition(choices, one)}` : '';
  const also = where !== '' && choices.chance(30) ? ` AND ${condition(choices, scope, 1)}` : '';
  const rest = `${from}${where}${also}`;
  const direction = choices.of('', ' DESC');
  const second = choices.chance(30) ? `, ${path(choices, scope)}${choices.of('', ' DESC')}` : '';
  switch (choices.below(5)) {
    case 0:
      return `SELECT COUNT(*) ${rest}${limit(choices)}`;
    case 1:
      return `SELECT MIN(${one}) AS a, MAX(${one}) AS b ${rest}`;
    case 2:
      return `SELECT DISTINCT ${one} ${rest}${choices.chance(40) ? ` ORDER BY ${one}${direction}${second}` : ''}${limit(choices)}`;
    default:
      return `SELECT ${choices.of('*', one, `${one}, ${path(choices, scope)} AS z`)} ${rest} ORDER BY ${one}${direction}${second} LIMIT ${choices.below(9)}${choices.of('', ' OFFSET 2')}`;
  }
}

/** Queries over queries: UNION and its like, and WITH. */
function combined(choices: Choices): string {
  const scope = (name: string): Scope => ({ documents: [name], items: [], parts: [] });
  const part = (name: string): string =>
    `SELECT ${name}.${member(choices)} FROM /${choices.of('r', 'q')} ${name} WHERE ${condition(choices, scope(name), 1)}`;
  if (choices.chance(50)) {
    const operation = choices.of('UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT');
    const order = choices.chance(40) ? ' ORDER BY 1' : '';
    return `${part('o')} ${operation} ${part('c')}${order}${limit(choices)}`;
  }
  const inner = `SELECT * FROM /r w WHERE ${condition(choices, scope('w'), 1)}`;
  const where = choices.chance(60) ? ` WHERE ${condition(choices, scope('o'), 1)}` : '';
  return `WITH t AS (${inner}) SELECT o.${member(choices)} FROM t o${where}${limit(choices)}`;
}

/** What indexes on computed values hold. */
function computed(choices: Choices, document: string): string {
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

/** Values that indexes on several have first, and those that follow. */
const SEVERAL: readonly (readonly string[])[] = [
  ['s', 'n'],
  ['n', 'm'],
  ['b', 'd', 't'],
];

/** What an index on several values may answer: some fixed, then a range or an order. */
function severalValues(choices: Choices, name: string): string {
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
  return `SELECT ${projection} FROM /${name === 'c' ? 'q' : 'r'} ${name}${where}${order}${limit(choices)}`;
}

function pathCondition(choices: Choices, one: string): string {
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

/** Some only pick rows, others give rows of their own. */
const FROM_SUBQUERIES = [
  '(SELECT * FROM /r w WHERE w.n > 0) o',
  "(SELECT * FROM /r w WHERE w.s = 'a') o",
  '(SELECT w.n AS n, w.o AS o, w.s AS s, w.m AS m, w.t AS t, w.b AS b, w.d AS d, w.zz AS zz, w.k AS k, w.tags AS tags, w.at AS at, w.n AS "size" FROM /r w WHERE w.m <> 2) o',
  '(SELECT w.o FROM /r w) o',
  '(SELECT DISTINCT * FROM /q w LIMIT 5) o',
  '(SELECT * FROM /q w ORDER BY w.zz, w.b LIMIT 7) o',
];

function generateFrom(choices: Choices): { from: string; scope: Scope; joins: string[] } {
  // Three regions are rare: the reference goes through every combination of their rows.
  switch (choices.chance(2) ? 12 : choices.below(16)) {
    case 12:
      return {
        from: choices.of('/r o, /q c, /r e', '/q c, /r o, /q e'),
        scope: { documents: ['o', 'c', 'e'], items: [], parts: [], isJoined: true },
        joins: choices.of(
          ['o.s = c.t', 'c.n = e.n'],
          ['o.n = e.m', 'e.s = c.s'],
          ['c.o.x = e.n', 'e.s = o.t', 'o.n = c.n'],
        ),
      };
    case 14: {
      const on = choices.of('o.s = c.s', 'c.n = o.n AND c.m > 1', 'o.o.x = c.n', 'o.n < c.n');
      return {
        from: `/r o ${choices.of('JOIN', 'LEFT JOIN', 'LEFT JOIN')} /q c ON ${on}`,
        scope: { documents: ['o', 'c'], items: [], parts: [], isJoined: true },
        joins: [],
      };
    }
    case 5:
      return {
        from: choices.of('/q c, /r o, o.items i', '/r o, /q c, o.items i'),
        scope: { documents: ['o', 'c'], items: ['i'], parts: [], isJoined: true },
        joins: [choices.of('o.s = c.s', 'c.n = o.n', 'o.o.x = c.n')],
      };
    case 6:
      return {
        from: choices.of(...FROM_SUBQUERIES),
        scope: { documents: ['o'], items: [], parts: [] },
        joins: [],
      };
    case 7:
      return {
        from: '/r.entries e',
        scope: { documents: ['e.value'], items: [], parts: [] },
        joins: choices.chance(70) ? [keyCondition(choices, 'e.key')] : [],
      };
    case 8:
      return {
        from: choices.of('/r.keys k, /q o', '/q o, /r.keys k'),
        scope: { documents: ['o'], items: [], parts: [], isJoined: true },
        joins: choices.chance(70) ? [choices.of("k < 'k15'", 'k = o.s', "k LIKE 'k1%'")] : [],
      };
    case 0:
      return {
        from: '/r o, o.items i',
        scope: { documents: ['o'], items: ['i'], parts: [] },
        joins: [],
      };
    case 1:
      return {
        from: '/r o, o.items i, i.parts p',
        scope: { documents: ['o'], items: ['i'], parts: ['p'] },
        joins: [],
      };
    case 2:
      return {
        from: '/r o, /q c',
        scope: { documents: ['o', 'c'], items: [], parts: [], isJoined: true },
        joins: choices.chance(90) ? [`o.${member(choices)} = c.${member(choices)}`] : [],
      };
    case 3:
      return {
        from: '/r o, o.items i, /q c',
        scope: { documents: ['o', 'c'], items: ['i'], parts: [], isJoined: true },
        joins: [choices.of('i.sku = c.s', 'c.n = i.q', 'o.s = c.t')],
      };
    default:
      return { from: '/r o', scope: { documents: ['o'], items: [], parts: [] }, joins: [] };
  }
}

/** What the order of keys may serve; the keys are k0, k1 and so on. */
function keyCondition(choices: Choices, key: string): string {
  return choices.of(
    `${key} ${operator(choices)} '${choices.of('k2', 'k11', 'k', 'none')}'`,
    `${key} IN SET('k${choices.below(30)}', 'k3', ${literal(choices)})`,
    `${key} LIKE '${choices.of('k1%', 'k_', 'k2', '%1')}'`,
    `${key} BETWEEN 'k1' AND 'k${choices.below(30)}'`,
    `${key} = ${literal(choices)} OR ${key} = 'k${choices.below(30)}'`,
  );
}

function plain(choices: Choices, scope: Scope, rest: string): string {
  const distinct = choices.chance(25) ? 'DISTINCT ' : '';
  if (choices.chance(12)) return `SELECT ${distinct}COUNT(*) ${rest}${limit(choices)}`;
  const projections = choices.chance(12)
    ? '*'
    : choices
        .some(3, () => value(choices, scope, 1))
        .map((each, index) => (choices.chance(60) ? `${each} AS p${index}` : each))
        .join(', ');
  const order = choices.chance(40)
    ? ` ORDER BY ${choices.some(2, () => `${path(choices, scope)}${choices.of('', ' ASC', ' DESC')}${choices.of('', '', ' NULLS LAST', ' NULLS FIRST')}`).join(', ')}`
    : '';
  return `SELECT ${distinct}${projections} ${rest}${order}${limit(choices)}`;
}

function grouped(choices: Choices, scope: Scope, rest: string): string {
  const keys = choices.chance(25) ? [] : [...new Set(choices.some(2, () => path(choices, scope)))];
  const aggregates = choices.some(3, () => aggregate(choices, scope));
  const named = [
    ...keys.map((key, index) => `${key} AS k${index}`),
    ...aggregates.map((each, index) => `${each} AS a${index}`),
  ];
  const groupBy = keys.length === 0 ? '' : ` GROUP BY ${keys.join(', ')}`;
  const having = keys.length > 0 && choices.chance(15) ? ' HAVING COUNT(*) > 1' : '';
  const order = keys.length > 0 && choices.chance(30) ? ` ORDER BY ${choices.of('a0', 'k0')}` : '';
  return `SELECT ${named.join(', ')} ${rest}${groupBy}${having}${order}${limit(choices)}`;
}

function aggregate(choices: Choices, scope: Scope): string {
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

function limit(choices: Choices): string {
  const offset = choices.chance(10) ? ` OFFSET ${choices.below(4)}` : '';
  return choices.chance(30) ? ` LIMIT ${choices.below(6)}${offset}` : '';
}

function member(choices: Choices): string {
  return choices.of('n', 'm', 's', 't', 'b', 'd', 'o.x', 'o.y', 'o', 'zz', 'k');
}

function path(choices: Choices, scope: Scope): string {
  const kind = choices.below(4);
  if (kind === 0 && scope.items.length > 0) {
    return `${choices.of(...scope.items)}${choices.of('.sku', '.q', '.q', '', '.zz')}`;
  }
  if (kind === 1 && scope.parts.length > 0) return `${choices.of(...scope.parts)}.w`;
  return `${choices.of(...scope.documents)}.${member(choices)}`;
}

function numeric(choices: Choices, scope: Scope): string {
  const one =
    scope.items.length > 0 && choices.chance(40)
      ? `${scope.items[0]}.q`
      : numberPath(choices, scope);
  if (!choices.chance(30)) return one;
  return `${one} ${choices.of('+', '-', '*', '/', '%')} ${choices.of('2', '1.5', '0', numberPath(choices, scope))}`;
}

function numberPath(choices: Choices, scope: Scope): string {
  return `${choices.of(...scope.documents)}.${choices.of('n', 'm', 'd', 'o.x')}`;
}

function value(choices: Choices, scope: Scope, depth: number): string {
  if (depth === 0 || choices.chance(70)) return path(choices, scope);
  switch (choices.below(9)) {
    case 6:
    case 7:
      return call(choices, scope);
    case 8:
      return `${path(choices, scope)} || ${choices.of("'-'", path(choices, scope))}`;
    case 0:
      return numeric(choices, scope);
    case 1:
      return literal(choices);
    case 2:
      return `NVL(${path(choices, scope)}, ${literal(choices)})`;
    case 3:
      return `CASE WHEN ${condition(choices, scope, 1)} THEN ${path(choices, scope)} ELSE ${literal(choices)} END`;
    case 4:
      return `${path(choices, scope)}.length`;
    default:
      return `${path(choices, scope)}.toString()`;
  }
}

/** Functions, of values that fit most of the time. */
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

function literal(choices: Choices): string {
  return choices.of(
    '0',
    '1',
    '2',
    '2.0',
    '2.5',
    '5',
    '-1',
    "'a'",
    "'ab'",
    "'b'",
    "''",
    'TRUE',
    'NULL',
    'UNDEFINED',
    '1.1f',
    '9007199254740993L',
    "CHAR 'a'",
    '-0.0',
    "'k7'",
    '1 + 1',
  );
}

function condition(choices: Choices, scope: Scope, depth: number): string {
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
      // The reference runs such a subquery for every combination of rows.
      if (scope.isJoined !== true && scope.items.length === 0) return correlated(choices, scope);
      return `${one} = 1`;
    case 15:
      return `${choices.of(...scope.documents)}.${choices.of('tags.size', 's.length', 'size', 'o.size')} ${operator(choices)} ${choices.of('1', '2')}`;
    case 13:
      return choices.of('1 = 1', '2 < 1', 'NULL', `(${one} = 1 OR 1 = 2)`, `(${one} > 0 AND TRUE)`);
    case 12:
      return `${one} IN (SELECT x.${member(choices)} FROM /q x WHERE x.n ${operator(choices)} 1)`;
    case 0:
      return `${one} LIKE ${choices.of("'a%'", "'%b'", "'%b%'", "'_'", "'a\\_b'", "'%'", "'a'", "'_b%'")}`;
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

/** Subqueries tied to the rows around them, most by equalities. */
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

function operator(choices: Choices): string {
  return choices.of('=', '<>', '<', '<=', '>', '>=');
}
