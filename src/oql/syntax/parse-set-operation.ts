// UNION, EXCEPT and INTERSECT between queries.

import { syntaxError } from '../errors.ts';
import type { Expression, RowOrder, SelectExpression, SetOperation } from './ast.ts';
import { parseRowOrder } from './parse-order.ts';
import type { Parser } from './parser.ts';
import { spanOf } from './position.ts';
import type { TokenStream } from './token-stream.ts';

type ParseOperand = (parser: Parser) => Expression;
type Operator = SetOperation['operator'];

const OPERATORS: ReadonlySet<string> = new Set<Operator>(['union', 'except', 'intersect']);

export function isSetOperatorAhead(tokens: TokenStream): boolean {
  const { kind, text } = tokens.peek();
  return kind === 'keyword' && OPERATORS.has(text);
}

/**
 * setOperation = ( UNION | EXCEPT | INTERSECT ) , [ ALL | DISTINCT ] , ( select | expr )
 *
 * INTERSECT binds tighter than the others; ORDER BY, LIMIT and OFFSET at the end are for all rows.
 */
export function parseSetOperations(
  parser: Parser,
  first: SetOperand,
  parse: ParseOperand,
): Expression {
  const { tokens } = parser;
  let left = parseIntersections(parser, first, parse);
  while (tokens.isKeyword('union') || tokens.isKeyword('except')) {
    const childHeight = parser.height;
    const { operator, all } = takeOperator(parser, left);
    const right = parseIntersections(parser, parseOperand(parser, parse), parse);
    left = combine(parser, { operator, all, left, right }, childHeight);
  }
  return left.node.kind === 'set-operation' ? withOrder(parser, left.node, left.last) : left.node;
}

/** A query of a set operation, and whether it is a select without parentheses. */
export interface SetOperand {
  readonly node: Expression;
  readonly isBare: boolean;
}

function parseOperand(parser: Parser, parse: ParseOperand): SetOperand {
  const isBare = !parser.tokens.isSymbol('(');
  return { node: parse(parser), isBare };
}

/** The operations combined so far, with the query at their end. */
interface Combined extends SetOperand {
  readonly last: SetOperand;
}

function parseIntersections(parser: Parser, first: SetOperand, parse: ParseOperand): Combined {
  let left: Combined = { ...first, last: first };
  while (parser.tokens.isKeyword('intersect')) {
    const childHeight = parser.height;
    const { operator, all } = takeOperator(parser, left);
    const right = parseOperand(parser, parse);
    left = combine(parser, { operator, all, left, right: { ...right, last: right } }, childHeight);
  }
  return left;
}

interface Parts {
  readonly operator: Operator;
  readonly all: boolean;
  readonly left: Combined;
  readonly right: Combined;
}

function combine(
  parser: Parser,
  { operator, all, left, right }: Parts,
  childHeight: number,
): Combined {
  const span = spanOf(left.node.span, parser.tokens.last);
  const noRowOrder = { orderBy: [], limit: undefined, offset: undefined } as const;
  const parts = { operator, all, left: left.node, right: right.node } as const;
  const node = parser.finish(
    { kind: 'set-operation', ...parts, ...noRowOrder, span } as const,
    parser.tallest(childHeight),
  );
  return { node, isBare: false, last: right.last };
}

function takeOperator(parser: Parser, left: Combined): Pick<Parts, 'operator' | 'all'> {
  const { tokens } = parser;
  const word = tokens.take();
  // Only these words lead here.
  const operator = word.text as Operator;
  if (left.last.isBare && isOrdered(left.last.node)) {
    const reason = `ORDER BY, LIMIT and OFFSET before ${operator.toUpperCase()} need parentheses`;
    throw syntaxError(tokens.locate(word), reason, 'Put the query before it in parentheses');
  }
  const all = tokens.acceptKeyword('all');
  if (!all) tokens.acceptKeyword('distinct');
  return { operator, all };
}

function isOrdered(node: Expression): node is SelectExpression {
  return node.kind === 'select' && hasRowOrder(node);
}

/** Whether there is a clause that orders or bounds the rows. */
export function hasRowOrder({ orderBy, limit, offset }: RowOrder): boolean {
  return orderBy.length > 0 || limit !== undefined || offset !== undefined;
}

/** The clauses after the last select apply to all rows, unless it is in parentheses. */
function withOrder(parser: Parser, node: SetOperation, last: SetOperand): SetOperation {
  if (last.isBare && isOrdered(last.node)) {
    const { orderBy, limit, offset } = last.node;
    const plain = { ...last.node, orderBy: [], limit: undefined, offset: undefined };
    return { ...withLast(node, plain), orderBy, limit, offset };
  }
  const order = parseRowOrder(parser);
  return { ...node, ...order, span: spanOf(node.span, parser.tokens.last) };
}

/** The same with another query at the end. */
function withLast(node: SetOperation, last: Expression): SetOperation {
  const { right } = node;
  const isDeeper = right.kind === 'set-operation' && right.span.end === node.span.end;
  return { ...node, right: isDeeper ? withLast(right, last) : last };
}
