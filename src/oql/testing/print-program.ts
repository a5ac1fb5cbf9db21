// Prints a syntax tree as canonical text: reserved words in capitals, one blank between words,
// parentheses only where precedence needs them. Parsing the text gives the same tree again.

import type {
  Aggregate,
  Case,
  Comparison,
  Expression,
  Import,
  Iterator,
  Literal,
  Program,
  Projection,
  SelectExpression,
  SetOperation,
  SortKey,
  TypeName,
  With,
} from '../syntax/ast.ts';
import { printRegionPath } from '../syntax/region-path.ts';
import { isBareFunction, reservedWord } from '../syntax/token.ts';

/** Prints a whole query. */
export function printProgram(program: Program): string {
  const trace = program.trace ? '<TRACE> ' : '';
  const imports = program.imports.map((item) => `${printImport(item)}; `).join('');
  return `${trace}${imports}${printQuery(program.query)}`;
}

function printImport({ path, alias }: Import): string {
  return `IMPORT ${path.map(printName).join('.')}${printAlias(alias)}`;
}

/**
 * How tightly an expression binds. An operand that binds looser than its position requires gets
 * parentheses.
 */
const LEVEL = {
  query: 0,
  expression: 1,
  or: 2,
  and: 3,
  equality: 4,
  relation: 5,
  sum: 6,
  product: 7,
  membership: 8,
  unary: 9,
  postfix: 10,
} as const;

function levelOf(node: Expression): number {
  switch (node.kind) {
    case 'select':
    case 'set-operation':
    case 'with':
      return LEVEL.query;
    case 'cast':
      return LEVEL.expression;
    case 'or':
      return LEVEL.or;
    case 'and':
      return LEVEL.and;
    case 'like':
    case 'between':
    case 'is-null':
    case 'is-type':
      return LEVEL.equality;
    case 'comparison':
      return isEquality(node) ? LEVEL.equality : LEVEL.relation;
    case 'arithmetic':
      return SUMS.includes(node.operator) ? LEVEL.sum : LEVEL.product;
    case 'in':
      return LEVEL.membership;
    case 'unary':
      return LEVEL.unary;
    case 'literal':
      return isNumber(node) && node.text.startsWith('-') ? LEVEL.unary : LEVEL.postfix;
    default:
      return LEVEL.postfix;
  }
}

const SUMS: readonly string[] = ['+', '-', '||'];

function isEquality(node: Comparison): boolean {
  return node.operator === '=' || node.operator === '<>';
}

function isNumber(node: Expression): boolean {
  return node.kind === 'literal' && ['int', 'long', 'float', 'double'].includes(node.type);
}

/** Prints an operand at a position that requires at least `level`. */
function printAt(level: number, node: Expression): string {
  const text = print(node);
  return levelOf(node) >= level ? text : `(${text})`;
}

/** A SELECT without parentheses is possible only where the grammar says `query`. */
function printQuery(node: Expression): string {
  return printAt(LEVEL.query, node);
}

function printExpression(node: Expression): string {
  return printAt(LEVEL.expression, node);
}

function print(node: Expression): string {
  switch (node.kind) {
    case 'literal':
      return printLiteral(node);
    case 'numbered-parameter':
      return `$${node.number}`;
    case 'named-parameter':
      return `:${node.name}`;
    case 'name':
      return isBareFunction(node.name) ? `"${node.name}"` : printName(node.name);
    case 'call':
      return printFunctionName(node.name) + printArguments(node.arguments);
    case 'region-path':
      return printRegionPath(...node.segments);
    case 'member':
      return `${printTarget(node.target)}.${printName(node.name)}`;
    case 'method':
      return `${printTarget(node.target)}.${printName(node.name)}${printArguments(node.arguments)}`;
    case 'index':
      return `${printTarget(node.target)}[${printExpression(node.index)}]`;
    case 'element':
      return `ELEMENT(${printQuery(node.operand)})`;
    case 'nvl':
      return `NVL(${printExpression(node.value)}, ${printExpression(node.fallback)})`;
    case 'is-defined':
      return `${node.negated ? 'IS_UNDEFINED' : 'IS_DEFINED'}(${printQuery(node.operand)})`;
    case 'aggregate':
      return printAggregate(node);
    case 'set':
      return `${node.form === 'set' ? 'SET' : ''}${printArguments(node.elements)}`;
    case 'case':
      return printCase(node);
    case 'select':
      return printSelect(node);
    case 'set-operation':
      return printSetOperation(node);
    case 'with':
      return printWith(node);
    case 'cast':
      return `(${printType(node.type)}) ${printExpression(node.operand)}`;
    default:
      return printOperator(node);
  }
}

type OperatorExpression = Extract<
  Expression,
  {
    kind:
      | 'unary'
      | 'arithmetic'
      | 'comparison'
      | 'and'
      | 'or'
      | 'like'
      | 'in'
      | 'between'
      | 'is-null'
      | 'is-type';
  }
>;

/** A single value in parentheses would be a list of one. */
function printCollection(node: Expression): string {
  if (node.kind === 'set' && node.form === 'list') return print(node);
  return LONE_VALUES.has(node.kind) ? `((${print(node)}))` : `(${print(node)})`;
}

const LONE_VALUES: ReadonlySet<Expression['kind']> = new Set([
  'literal',
  'numbered-parameter',
  'named-parameter',
]);

function printOperator(node: OperatorExpression): string {
  switch (node.kind) {
    case 'unary':
      return printUnary(node.operator, node.operand);
    case 'arithmetic': {
      const level = levelOf(node);
      return `${printAt(level, node.left)} ${node.operator} ${printAt(level + 1, node.right)}`;
    }
    case 'comparison': {
      const level = levelOf(node);
      const isChained = node.left.kind === 'comparison' && levelOf(node.left) === level;
      const left = printAt(isChained ? level : level + 1, node.left);
      if (node.quantifier === undefined) {
        return `${left} ${node.operator} ${printAt(level + 1, node.right)}`;
      }
      return `${left} ${node.operator} ${node.quantifier.toUpperCase()} ${printCollection(node.right)}`;
    }
    case 'and':
    case 'or':
      return node.operands
        .map((operand) => printAt(LEVEL[node.kind] + 1, operand))
        .join(` ${node.kind.toUpperCase()} `);
    case 'like': {
      const value = printAt(
        node.value.kind === 'like' ? LEVEL.equality : LEVEL.relation,
        node.value,
      );
      return `${value}${printNot(node)} ${node.ignoresCase ? 'ILIKE' : 'LIKE'} ${printAt(LEVEL.relation, node.pattern)}`;
    }
    case 'in': {
      const value = printAt(LEVEL.unary, node.value);
      return `${value}${printNot(node)} IN ${printAt(LEVEL.unary, node.collection)}`;
    }
    case 'between': {
      const value = `${printAt(LEVEL.relation, node.value)}${printNot(node)}`;
      return `${value} BETWEEN ${printAt(LEVEL.sum, node.low)} AND ${printAt(LEVEL.sum, node.high)}`;
    }
    case 'is-null':
      return `${printAt(LEVEL.relation, node.value)} IS${printNot(node)} NULL`;
    case 'is-type':
      return `${printAt(LEVEL.relation, node.value)} IS${printNot(node)} ${node.type.toUpperCase()}`;
  }
}

function printNot(node: { readonly negated: boolean }): string {
  return node.negated ? ' NOT' : '';
}

/** A minus right before a number would become part of the number. */
function printUnary(operator: 'minus' | 'not', operand: Expression): string {
  if (operator === 'not') return `NOT ${printAt(LEVEL.postfix, operand)}`;
  return isNumber(operand) ? `-(${print(operand)})` : `-${printAt(LEVEL.postfix, operand)}`;
}

/** A number as a target needs parentheses: a point or a sign would become part of it. */
function printTarget(target: Expression): string {
  return isNumber(target) ? `(${print(target)})` : printAt(LEVEL.postfix, target);
}

function printArguments(args: readonly Expression[]): string {
  return `(${args.map(printExpression).join(', ')})`;
}

function printAggregate(node: Aggregate): string {
  const argument = node.argument === undefined ? '*' : printExpression(node.argument);
  return `${node.function.toUpperCase()}(${node.distinct ? 'DISTINCT ' : ''}${argument})`;
}

function printCase(node: Case): string {
  const branches = node.branches.map(
    ({ condition, result }) =>
      ` WHEN ${printExpression(condition)} THEN ${printExpression(result)}`,
  );
  const otherwise = node.otherwise === undefined ? '' : ` ELSE ${printExpression(node.otherwise)}`;
  return `CASE${printSubject(node.subject)}${branches.join('')}${otherwise} END`;
}

/** Parentheses distinguish any subject from a member called `case` that it might follow. */
function printSubject(subject: Expression | undefined): string {
  if (subject === undefined) return '';
  return subject.kind === 'name' ? ` ${print(subject)}` : ` (${print(subject)})`;
}

function printSelect(node: SelectExpression): string {
  const hint = node.hints.length === 0 ? '' : `<HINT ${node.hints.map(printString).join(', ')}> `;
  const projections =
    node.projections.length === 0 ? '*' : node.projections.map(printProjection).join(', ');
  const clauses = [
    `${hint}SELECT${node.distinct ? ' DISTINCT' : ''} ${projections}`,
    `FROM ${node.from.map(printIterator).join('')}`,
    printClause('WHERE', node.where),
    printList('GROUP BY', node.groupBy.map(printExpression)),
    printClause('HAVING', node.having),
    ...printOrder(node),
  ];
  return clauses.filter((clause) => clause !== '').join(' ');
}

function printOrder(node: SelectExpression | SetOperation): readonly string[] {
  return [
    printList('ORDER BY', node.orderBy.map(printSortKey)),
    printClause('LIMIT', node.limit),
    printClause('OFFSET', node.offset),
  ];
}

/** In parentheses, so that clauses at the end belong to the whole. */
function printSetOperation(node: SetOperation): string {
  const operator = `${node.operator.toUpperCase()}${node.all ? ' ALL' : ''}`;
  const clauses = [`(${print(node.left)}) ${operator} (${print(node.right)})`, ...printOrder(node)];
  return clauses.filter((clause) => clause !== '').join(' ');
}

function printWith({ definitions, body }: With): string {
  const named = definitions.map(({ name, query }) => `${printName(name)} AS (${print(query)})`);
  return `WITH ${named.join(', ')} ${print(body)}`;
}

function printClause(word: string, node: Expression | undefined): string {
  return node === undefined ? '' : `${word} ${printExpression(node)}`;
}

function printList(words: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `${words} ${items.join(', ')}`;
}

function printProjection({ expression, alias }: Projection): string {
  return `${printExpression(expression)}${printAlias(alias)}`;
}

/** The source is printed tight, because `x IN y` would be parsed as the iterator x over y. */
function printIterator({ join, source, alias, type }: Iterator, index: number): string {
  const typed = type === undefined ? '' : ` TYPE ${printType(type)}`;
  if (join === undefined) {
    const comma = index === 0 ? '' : ', ';
    return `${comma}${printAt(LEVEL.postfix, source)}${printAlias(alias)}${typed}`;
  }
  const isPlain = source.kind === 'region-path' || source.kind === 'name';
  const joined = isPlain ? print(source) : `(${print(source)})`;
  const word = join.kind === 'left' ? 'LEFT JOIN' : 'JOIN';
  return ` ${word} ${joined}${printAlias(alias)}${typed} ON ${printExpression(join.on)}`;
}

function printAlias(alias: string | undefined): string {
  return alias === undefined ? '' : ` AS ${printName(alias)}`;
}

function printSortKey({ expression, direction, nulls }: SortKey): string {
  const order = direction === 'desc' ? ' DESC' : '';
  return `${printExpression(expression)}${order}${nulls ? ` NULLS ${nulls.toUpperCase()}` : ''}`;
}

function printType({ name, parameters }: TypeName): string {
  if (parameters.length > 0) return `${name}<${parameters.map(printType).join(', ')}>`;
  return reservedWord(name) === undefined ? printName(name) : name;
}

const PLAIN_NAME = /^[\p{L}_](?:[\p{L}\p{M}\p{Nd}_]|\$(?=[\p{L}\p{Nd}_]))*$/u;

/** Reserved words that are called like functions wherever an expression starts. */
const FUNCTION_KEYWORDS: ReadonlySet<string> = new Set(['ABS', 'EXISTS', 'INTERVAL', 'TO_DATE']);

/** Reserved words that are called as functions need no quotes. */
function printFunctionName(name: string): string {
  return FUNCTION_KEYWORDS.has(name) ? name : printName(name);
}

/** Words that are keywords in some contexts without being reserved. */
const CONTEXTUAL_WORDS: ReadonlySet<string> = new Set(
  `between case else end ilike is nulls offset on then when with join inner left outer right full
  cross natural`.split(/\s+/u),
);

/** Words that could be taken for something else are quoted. */
function printName(name: string): string {
  const isKeyword = reservedWord(name) !== undefined || CONTEXTUAL_WORDS.has(name.toLowerCase());
  return PLAIN_NAME.test(name) && !isKeyword ? name : `"${name}"`;
}

function printString(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function printLiteral({ type, text }: Literal): string {
  switch (type) {
    case 'null':
    case 'undefined':
    case 'boolean':
      return text.toUpperCase();
    case 'int':
      return text;
    case 'long':
      return `${text}L`;
    case 'float':
      return `${text}f`;
    case 'double':
      return /^-?[0-9]+$/u.test(text) ? `${text}d` : text;
    case 'string':
      return printString(text);
    case 'char':
    case 'date':
    case 'time':
    case 'timestamp':
      return `${type.toUpperCase()} ${printString(text)}`;
  }
}
