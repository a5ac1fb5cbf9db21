// A generator of queries that can be bound against the regions of arbitrary-regions.ts. They are
// valid, not sensible: operators meet operands of every kind, so many fail while running, which
// evaluators have to agree on too.

import fc from 'fast-check';

/** Names of iterators with what their elements look like. */
interface Scope {
  readonly values: readonly string[];
  readonly items: readonly string[];
}

const literals = fc.oneof(
  fc.integer({ min: -2, max: 6 }).map(String),
  fc.constantFrom('1.0', '2.5', '0.0', '100.0', '9007199254740993L', '1.5f'),
  fc.constantFrom("''", "'a'", "'abc'", "'Zürich'", 'TRUE', 'FALSE', 'NULL', 'UNDEFINED'),
);

function paths({ values, items }: Scope): fc.Arbitrary<string> {
  const members = ['id', 'n', 's', 'f', 'tags', 'inner', 'inner.x', 'inner.y', 'none'];
  const all = values.flatMap((name) => [name, ...members.map((member) => `${name}.${member}`)]);
  return fc.constantFrom(...all, ...items.flatMap((name) => [name, `${name}.q`, `${name}.p`]));
}

/** A type, not an interface: the typing of `letrec` asks for an index signature. */
type Parts = {
  readonly value: string;
  readonly condition: string;
};

/** Expressions over the iterators of a scope, subqueries included while `depth` lasts. */
function expressions(scope: Scope, depth: number): fc.Arbitrary<Parts> {
  const path = paths(scope);
  const parts = fc.letrec<Parts>((tie) => {
    const value = tie('value');
    const condition = tie('condition');
    return {
      value: fc.oneof(
        { maxDepth: 3, depthSize: 'small' },
        { weight: 6, arbitrary: path },
        { weight: 3, arbitrary: literals },
        { weight: 2, arbitrary: join(value, [' + ', ' - ', ' * ', ' / ', ' % '], value) },
        { weight: 1, arbitrary: value.map((operand) => `- (${operand})`) },
        { weight: 1, arbitrary: call('NVL', value, value) },
        { weight: 1, arbitrary: method(path) },
        { weight: 1, arbitrary: caseOf(condition, value) },
        { weight: 1, arbitrary: path.map((operand) => `${operand}[0]`) },
      ),
      condition: fc.oneof(
        { maxDepth: 3, depthSize: 'small' },
        { weight: 8, arbitrary: join(value, [' = ', ' <> ', ' < ', ' <= ', ' > ', ' >= '], value) },
        { weight: 2, arbitrary: fc.tuple(value, sets).map(([left, set]) => `(${left}) IN ${set}`) },
        { weight: 1, arbitrary: fc.tuple(literals, path).map(([left, c]) => `${left} IN ${c}`) },
        { weight: 2, arbitrary: fc.tuple(path, likes).map(([left, like]) => `${left} ${like}`) },
        { weight: 1, arbitrary: value.map((operand) => `IS_DEFINED(${operand})`) },
        { weight: 1, arbitrary: value.map((operand) => `(${operand}) IS NULL`) },
        { weight: 1, arbitrary: fc.tuple(path, value, value).map(between) },
        { weight: 3, arbitrary: join(condition, [' AND ', ' OR '], condition) },
        { weight: 2, arbitrary: condition.map((operand) => `NOT (${operand})`) },
        { weight: 1, arbitrary: path },
        ...(depth > 0 ? [{ weight: 2, arbitrary: subqueryConditions(scope, depth - 1) }] : []),
      ),
    };
  });
  return fc.record({ value: parts.value, condition: parts.condition });
}

const sets = fc
  .array(
    literals.filter((literal) => literal !== 'UNDEFINED'),
    { maxLength: 3 },
  )
  .map((elements) => `SET(${elements.join(', ')})`);

const likes = fc
  .tuple(
    fc.constantFrom('LIKE', 'NOT LIKE'),
    fc.constantFrom('%', 'a%', '%c', '_', 'a\\%c', '%b%', ''),
  )
  .map(([operator, pattern]) => `${operator} '${pattern}'`);

function join(
  left: fc.Arbitrary<string>,
  operators: readonly string[],
  right: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  return fc
    .tuple(left, fc.constantFrom(...operators), right)
    .map(([a, operator, b]) => `(${a})${operator}(${b})`);
}

function call(name: string, ...operands: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...operands).map((texts) => `${name}(${texts.join(', ')})`);
}

function method(target: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const calls = ['length', 'size', 'toUpperCase()', "contains('a')", 'toString()', 'substring(1)'];
  return fc
    .tuple(target, fc.constantFrom(...calls))
    .map(([receiver, name]) => `${receiver}.${name}`);
}

function caseOf(
  condition: fc.Arbitrary<string>,
  value: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  return fc
    .tuple(condition, value, value)
    .map(([when, then, otherwise]) => `CASE WHEN ${when} THEN ${then} ELSE ${otherwise} END`);
}

function between([value, low, high]: readonly [string, string, string]): string {
  return `(${value}) BETWEEN (${low}) AND (${high})`;
}

/** Correlated and uncorrelated; the alias carries the depth, so that scopes never clash. */
function subqueryConditions(outer: Scope, depth: number): fc.Arbitrary<string> {
  const alias = `z${depth}`;
  const scope = { ...outer, values: [...outer.values, alias] };
  const source = fc.constantFrom('/a', '/b');
  const select = fc
    .tuple(source, fc.constantFrom('id', 'n', 's'), fc.option(expressions(scope, depth)))
    .map(([region, member, filter]) => {
      const where = filter === null ? '' : ` WHERE ${filter.condition}`;
      return `(SELECT ${alias}.${member} FROM ${region} ${alias}${where})`;
    });
  return fc.oneof(
    fc.tuple(paths(outer), select).map(([value, query]) => `(${value}) IN ${query}`),
    select.map((query) => `${query}.isEmpty`),
    fc.tuple(literals, select).map(([value, query]) => `${value} = ELEMENT${query}`),
  );
}

interface From {
  readonly text: string;
  readonly scope: Scope;
}

const FROMS: readonly From[] = [
  { text: '/a x', scope: { values: ['x'], items: [] } },
  { text: '/a x, x.items i', scope: { values: ['x'], items: ['i'] } },
  { text: '/a x, /b y', scope: { values: ['x', 'y'], items: [] } },
  { text: '/a x, x.tags t', scope: { values: ['x'], items: [] } },
  { text: '/a.entries e', scope: { values: ['e.value'], items: [] } },
  { text: '(SELECT * FROM /a w WHERE w.n > 0) x', scope: { values: ['x'], items: [] } },
];

const froms = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...FROMS.slice(0, 1)) },
  { weight: 3, arbitrary: fc.constantFrom(...FROMS) },
);

/** A select without LIMIT, DISTINCT and COUNT(*), and a condition over its iterators. */
export interface PlainQuery {
  readonly from: string;
  readonly projections: string;
  readonly where: string;
  readonly condition: string;
  readonly order: string;
}

export const arbitraryPlainQuery: fc.Arbitrary<PlainQuery> = froms.chain(({ text, scope }) =>
  fc
    .record({
      parts: fc.array(expressions(scope, 1), { minLength: 3, maxLength: 3 }),
      keys: fc.uniqueArray(paths(scope), { minLength: 1, maxLength: 2 }),
      isFiltered: fc.boolean(),
      isOrdered: fc.boolean(),
      direction: fc.constantFrom('', ' DESC'),
    })
    .map(({ parts: [first, second, third], keys, isFiltered, isOrdered, direction }) => ({
      from: text,
      projections: keys
        .map((key, index) => `${key} AS c${index}`)
        .concat(`${first?.value} AS v`)
        .join(', '),
      where: isFiltered ? (second?.condition ?? '') : '',
      condition: third?.condition ?? 'TRUE',
      order: isOrdered ? ` ORDER BY ${keys[0]}${direction}` : '',
    })),
);

export function printPlain(query: PlainQuery, extra = '', distinct = ''): string {
  const conditions = [query.where, extra].filter((each) => each !== '').map((each) => `(${each})`);
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  return `SELECT ${distinct}${query.projections} FROM ${query.from}${where}${query.order}`;
}

const aggregates = [
  'COUNT(*)',
  'COUNT(k)',
  'SUM(k)',
  'AVG(k)',
  'MIN(k)',
  'MAX(k)',
  'SUM(DISTINCT k)',
  'COUNT(DISTINCT k)',
  'STDDEV(k)',
  'MEDIAN(k)',
  'ARRAY_AGG(DISTINCT k)',
  'FIRST(k)',
  'LAST(k)',
];

const groupedQueries = froms.chain(({ text, scope }) =>
  fc
    .record({
      key: paths(scope),
      argument: paths(scope),
      functions: fc.uniqueArray(fc.constantFrom(...aggregates), { minLength: 1, maxLength: 3 }),
      filter: fc.option(expressions(scope, 1)),
      tail: fc.constantFrom(
        '',
        ' HAVING COUNT(*) > 1',
        ' ORDER BY c0 DESC',
        ' ORDER BY COUNT(*), g',
        ' LIMIT 2',
      ),
    })
    .map(({ key, argument, functions, filter, tail }) => {
      const columns = functions.map((each, index) => `${each.replace('k', argument)} AS c${index}`);
      const where = filter === null ? '' : ` WHERE ${filter.condition}`;
      return `SELECT ${key} AS g, ${columns.join(', ')} FROM ${text}${where} GROUP BY ${key}${tail}`;
    }),
);

const countQueries = froms.chain(({ text, scope }) =>
  fc
    .tuple(
      fc.option(expressions(scope, 1)),
      fc.constantFrom('', ' LIMIT 2'),
      fc.constantFrom('', 'DISTINCT '),
    )
    .map(([filter, limit, distinct]) => {
      const where = filter === null ? '' : ` WHERE ${filter.condition}`;
      return `SELECT ${distinct}COUNT(*) FROM ${text}${where}${limit}`;
    }),
);

const plainQueries = fc
  .tuple(
    arbitraryPlainQuery,
    fc.constantFrom('', '', 'DISTINCT '),
    fc.constantFrom('', '', ' LIMIT 0', ' LIMIT 3', ' LIMIT 2 OFFSET 1'),
  )
  .map(([query, distinct, limit]) => `${printPlain(query, '', distinct)}${limit}`);

/** Query texts of every shape. */
export const arbitraryQuery: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: plainQueries },
  { weight: 3, arbitrary: groupedQueries },
  { weight: 2, arbitrary: countQueries },
);
