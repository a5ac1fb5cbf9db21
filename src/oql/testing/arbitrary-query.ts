// Syntax trees at random, for properties. Everything the grammar can say occurs; spans do not, and
// are left out of comparisons.

import fc from 'fast-check';
import type {
  CaseBranch,
  Expression,
  Iterator,
  Literal,
  Placeholder,
  Program,
  Projection,
  SelectExpression,
  SortKey,
  TypeName,
} from '../syntax/ast.ts';
import { parseQuery } from '../syntax/parse-query.ts';

const span = { start: 0, end: 0 };

/** Plain names, names that need quotes, and names of words that mean something elsewhere. */
const names = fc.constantFrom(
  'a',
  'b',
  'Map$Entry',
  'größe',
  'type',
  'select',
  '@type',
  'dash-name',
  'a b',
  'case',
  'when',
  'then',
  'else',
  'end',
  'between',
  'is',
  'offset',
  'join',
  'left',
  'on',
  'with',
  'nulls',
  'ilike',
);

const literals: fc.Arbitrary<Literal> = fc
  .constantFrom(
    ...['NULL', 'UNDEFINED', 'TRUE', 'FALSE', '0', '7', '-7', '010', '-2147483648', '5L', '-5L'],
    ...['1.5', '-1.5', '1.', '5d', '1e3', '2.5f', '-2f', "'text'", "'it''s'", "''", "CHAR '-'"],
    ...["DATE '2024-02-29'", "TIME '10:20:30'", "TIMESTAMP '2024-02-29 10:20:30.5'"],
  )
  .map((text) => {
    const { query } = parseQuery(text);
    if (query.kind !== 'literal') throw new Error(`${text} is no literal`);
    return query;
  });

const placeholders: fc.Arbitrary<Placeholder> = fc.oneof(
  fc.integer({ min: 1, max: 9 }).map((number) => ({
    kind: 'numbered-parameter' as const,
    number,
    span,
  })),
  fc.constantFrom('p', 'limit', 'type').map((name) => ({
    kind: 'named-parameter' as const,
    name,
    span,
  })),
);

const regions = fc.constantFrom(['r'], ['root', 'sub'], ['a-b:c'], ['any text'], ["it's", 'x']);

/** Only imported types, since a cast to an unknown one cannot always be told from an operand. */
const types: fc.Arbitrary<TypeName> = fc.letrec<{ type: TypeName }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom('T', 'U', 'int', 'string', 'Object').map((name) => typeName(name, [])),
    fc
      .tuple(fc.constantFrom('set', 'collection', 'list', 'array'), tie('type'))
      .map(([name, type]) => typeName(name, [type])),
    fc
      .tuple(fc.constantFrom('map', 'dictionary'), tie('type'), tie('type'))
      .map(([name, key, value]) => typeName(name, [key, value])),
  ),
})).type;

function typeName(name: string, parameters: readonly TypeName[]): TypeName {
  return { kind: 'type', name, parameters, span };
}

const IMPORTS = parseQuery('IMPORT a.T; IMPORT a."type".X AS U; 1').imports;

interface Trees {
  expression: Expression;
  select: SelectExpression;
}

const { expression, select } = fc.letrec<Trees>((tie: fc.LetrecTypedTie<Trees>) => {
  const part = tie('expression');
  const parts = fc.array(part, { maxLength: 3 });
  return {
    expression: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      names.map((name): Expression => ({ kind: 'name', name, span })),
      literals,
      placeholders,
      regions.map((segments): Expression => ({ kind: 'region-path', segments, span })),
      operators(part),
      postfixes(part, parts),
      functions(part, parts),
      tie('select'),
    ),
    select: selects(part),
  };
});

function operators(part: fc.Arbitrary<Expression>): fc.Arbitrary<Expression> {
  const negated = fc.boolean();
  return fc.oneof<fc.Arbitrary<Expression>[]>(
    fc.record({
      kind: fc.constant('unary'),
      operator: fc.constantFrom('minus', 'not'),
      operand: part,
      span: fc.constant(span),
    }),
    fc.record({
      kind: fc.constant('arithmetic'),
      operator: fc.constantFrom('+', '-', '*', '/', '%', '||'),
      left: part,
      right: part,
      span: fc.constant(span),
    }),
    fc.record({
      kind: fc.constant('comparison'),
      operator: fc.constantFrom('=', '<>', '<', '<=', '>', '>='),
      quantifier: fc.constantFrom(undefined, undefined, 'any', 'all'),
      left: part,
      right: part,
      span: fc.constant(span),
    }),
    fc.record({
      kind: fc.constantFrom('and', 'or'),
      operands: fc.array(part, { minLength: 2, maxLength: 4 }),
      span: fc.constant(span),
    }),
    fc.record({
      kind: fc.constant('like'),
      ignoresCase: fc.boolean(),
      value: part,
      pattern: part,
      negated,
      span: fc.constant(span),
    }),
    fc.record({
      kind: fc.constant('in'),
      value: part,
      collection: part,
      negated,
      span: fc.constant(span),
    }),
    fc.record({
      kind: fc.constant('between'),
      value: part,
      low: part,
      high: part,
      negated,
      span: fc.constant(span),
    }),
    fc.record({ kind: fc.constant('is-null'), value: part, negated, span: fc.constant(span) }),
  );
}

function postfixes(
  part: fc.Arbitrary<Expression>,
  parts: fc.Arbitrary<Expression[]>,
): fc.Arbitrary<Expression> {
  return fc.oneof<fc.Arbitrary<Expression>[]>(
    fc.record({
      kind: fc.constant('member'),
      target: part,
      name: names,
      nameSpan: fc.constant(span),
      span: fc.constant(span),
    }),
    fc.record({
      kind: fc.constant('method'),
      target: part,
      name: names,
      arguments: parts,
      nameSpan: fc.constant(span),
      span: fc.constant(span),
    }),
    fc.record({
      kind: fc.constant('index'),
      target: part,
      index: part,
      span: fc.constant(span),
    }),
    fc.record({
      kind: fc.constant('call'),
      name: names,
      arguments: parts,
      nameSpan: fc.constant(span),
      span: fc.constant(span),
    }),
    fc.record({
      kind: fc.constant('cast'),
      type: types,
      operand: part,
      span: fc.constant(span),
    }),
  );
}

function functions(
  part: fc.Arbitrary<Expression>,
  parts: fc.Arbitrary<Expression[]>,
): fc.Arbitrary<Expression> {
  const optional = fc.option(part, { nil: undefined });
  const branch: fc.Arbitrary<CaseBranch> = fc.record({ condition: part, result: part });
  return fc.oneof<fc.Arbitrary<Expression>[]>(
    fc.record({ kind: fc.constant('element'), operand: part, span: fc.constant(span) }),
    fc.record({
      kind: fc.constant('is-defined'),
      operand: part,
      negated: fc.boolean(),
      span: fc.constant(span),
    }),
    fc.record({
      kind: fc.constant('nvl'),
      value: part,
      fallback: part,
      span: fc.constant(span),
    }),
    fc.record({
      kind: fc.constant('call'),
      name: fc.constantFrom('TO_DATE', 'ABS', 'MOD', 'CURRENT_DATE', 'UPPER'),
      arguments: parts,
      nameSpan: fc.constant(span),
      span: fc.constant(span),
    }),
    fc.record({
      kind: fc.constant('set'),
      form: fc.constant('set'),
      elements: parts,
      span: fc.constant(span),
    }),
    fc.record({
      kind: fc.constant('aggregate'),
      function: fc.constantFrom('count', 'sum', 'avg'),
      distinct: fc.boolean(),
      argument: part,
      span: fc.constant(span),
    }),
    fc.constant<Expression>({
      kind: 'aggregate',
      function: 'count',
      distinct: false,
      argument: undefined,
      span,
    }),
    fc.record({
      kind: fc.constant('aggregate'),
      function: fc.constantFrom('min', 'max'),
      distinct: fc.constant(false),
      argument: part,
      span: fc.constant(span),
    }),
    fc.record({
      kind: fc.constant('is-type'),
      value: part,
      type: fc.constantFrom('number', 'string', 'missing'),
      negated: fc.boolean(),
      span: fc.constant(span),
    }),
    fc.record({
      kind: fc.constant('case'),
      subject: optional,
      branches: fc.array(branch, { minLength: 1, maxLength: 2 }),
      otherwise: optional,
      span: fc.constant(span),
    }),
  );
}

function selects(part: fc.Arbitrary<Expression>): fc.Arbitrary<SelectExpression> {
  const alias = fc.option(names, { nil: undefined });
  const optional = fc.option(part, { nil: undefined });
  const projection: fc.Arbitrary<Projection> = fc.record({
    kind: fc.constant('projection'),
    expression: part,
    alias,
    span: fc.constant(span),
  });
  const iterator: fc.Arbitrary<Iterator> = fc.record({
    kind: fc.constant('iterator'),
    join: fc.option(
      fc.record({ kind: fc.constantFrom('inner', 'left'), on: part, span: fc.constant(span) }),
      {
        nil: undefined,
      },
    ),
    source: part,
    alias,
    type: fc.option(types, { nil: undefined }),
    span: fc.constant(span),
  });
  const sortKey: fc.Arbitrary<SortKey> = fc.record({
    kind: fc.constant('sort-key'),
    expression: part,
    direction: fc.constantFrom('asc', 'desc'),
    nulls: fc.constantFrom(undefined, undefined, 'first', 'last'),
    span: fc.constant(span),
  });
  const counts = literals.filter(({ type, text }) => type === 'int' && !text.startsWith('-'));
  const rowCount = fc.option(fc.oneof(counts, placeholders), { nil: undefined });
  return fc
    .record({
      kind: fc.constant('select' as const),
      hints: fc.array(fc.constantFrom('byId', "it's"), { maxLength: 2 }),
      distinct: fc.boolean(),
      projections: fc.array(projection, { maxLength: 3 }),
      from: fc.array(iterator, { minLength: 1, maxLength: 3 }),
      where: optional,
      groupBy: fc.array(part, { maxLength: 2 }),
      having: optional,
      orderBy: fc.array(sortKey, { maxLength: 2 }),
      limit: rowCount,
      offset: rowCount,
      span: fc.constant(span),
    })
    .map((node) => ({
      ...node,
      having: node.groupBy.length === 0 ? undefined : node.having,
      // The first has nothing to be joined to.
      from: node.from.map((each, place) => (place === 0 ? { ...each, join: undefined } : each)),
    }));
}

/** A whole query; its placeholders are not listed. */
export const arbitraryProgram: fc.Arbitrary<Program> = fc
  .tuple(fc.boolean(), fc.oneof(expression, select))
  .map(([trace, query]) => ({
    kind: 'program',
    text: '',
    trace,
    imports: IMPORTS,
    query,
    placeholders: [],
  }));

/** A tree without its spans, to compare what two trees say. */
export function withoutSpans(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutSpans);
  if (typeof node !== 'object' || node === null || !('span' in node || 'condition' in node)) {
    return node;
  }
  const members = Object.entries(node).filter(([name]) => name !== 'span' && name !== 'nameSpan');
  return Object.fromEntries(members.map(([name, value]) => [name, withoutSpans(value)]));
}
