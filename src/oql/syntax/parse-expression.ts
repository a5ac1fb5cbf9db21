// Expressions from OR down to member access. The ranks of operators say which of them binds tighter,
// so that an operand without operators takes no call for each level of the grammar.

import type { ComparisonOperator } from '../../value/compare.ts';
import { notSupported, type OqlError, syntaxError } from '../errors.ts';
import type { Arithmetic, Expression } from './ast.ts';
import { isEndOfOperand } from './lexer.ts';
import { parseArguments } from './parse-function.ts';
import { parseList } from './parse-list.ts';
import { parseNumber, parsePlain, parsePrimary } from './parse-primary.ts';
import {
  isBetweenAhead,
  isCastAhead,
  isIsNullAhead,
  isLikeAhead,
  parseType,
  takeTypeWord,
} from './parse-type.ts';
import { type Parser, RARE_WEIGHT } from './parser.ts';
import { spanOf } from './position.ts';
import {
  AND_RANK,
  EQUALITY_RANK,
  MEMBERSHIP_RANK,
  OR_RANK,
  operatorRank,
  RELATION_RANK,
  SUM_RANK,
  type Token,
  WORD_RANK,
} from './token.ts';
import type { TokenStream } from './token-stream.ts';

/** expr = "(" , type , ")" , expr | operators */
export function parseExpression(parser: Parser): Expression {
  const { tokens } = parser;
  if (!tokens.isSymbol('(') || !isCastAhead(parser)) return parseOperators(parser, OR_RANK);
  tokens.weight += RARE_WEIGHT;
  const start = tokens.take();
  const type = parseType(parser);
  tokens.expectSymbol(')');
  const operand = parser.expression();
  const span = spanOf(start, tokens.last);
  return parser.finish({ kind: 'cast', type, operand, span }, parser.height);
}

/**
 * operators = unary , { operator , … }
 *
 * Precedence climbing: an operand with all operators after it whose rank is at least `minRank`, each
 * with its operands:
 *
 *     or = and , { OR , and }
 *     and = equality , { AND , equality }
 *     equality = relation , …
 *     relation = sum , { ( "<" | "<=" | ">" | ">=" ) , sum }
 *     sum = product , { ( "+" | "-" | "||" ) , product }
 *     product = membership , { ( "*" | "/" | "%" | MOD ) , membership }
 *     membership = unary , [ [ NOT ] , IN , ( unary | list ) ]
 */
function parseOperators(
  parser: Parser,
  minRank: number,
  first: Expression = parseUnary(parser),
): Expression {
  const { tokens } = parser;
  let left = first;
  // Only looser operators follow here; tighter ones belong to the operand.
  let maxRank = MEMBERSHIP_RANK;
  for (;;) {
    let rank = operatorRank(tokens.peek());
    if (rank === WORD_RANK) rank = rankOfWord(tokens, minRank);
    if (rank < minRank) return left;
    if (rank > maxRank) {
      if (rank === EQUALITY_RANK) throw mixture(tokens);
      return left;
    }
    left = parseOperator(parser, left, rank);
    maxRank = rank - 1;
  }
}

// IS, ILIKE and BETWEEN differ in length, so most names are excluded without a comparison of texts.
const IS_LENGTH = 2;
const ILIKE_LENGTH = 5;
const BETWEEN_LENGTH = 7;

/** The rank of an operator that begins with NOT or a word that is not reserved. */
function rankOfWord(tokens: TokenStream, minRank: number): number {
  const { kind, text } = tokens.peek();
  if (kind === 'keyword') return rankOfNegated(tokens, minRank);
  if (minRank > EQUALITY_RANK) return 0;
  switch (text.length) {
    case IS_LENGTH:
      return isIsNullAhead(tokens) ? EQUALITY_RANK : 0;
    case ILIKE_LENGTH:
      return isLikeAhead(tokens, 0) ? EQUALITY_RANK : 0;
    case BETWEEN_LENGTH:
      return isBetweenAhead(tokens) ? EQUALITY_RANK : 0;
    default:
      return 0;
  }
}

/** The same for NOT. */
function rankOfNegated(tokens: TokenStream, minRank: number): number {
  if (tokens.isKeyword('in', 1)) return MEMBERSHIP_RANK;
  if (minRank > EQUALITY_RANK) return 0;
  return isLikeAhead(tokens, 1) || isBetweenAhead(tokens, 1) ? EQUALITY_RANK : 0;
}

/** All operators of one rank in a row. */
function parseOperator(parser: Parser, left: Expression, rank: number): Expression {
  switch (rank) {
    case OR_RANK:
      return parseJunction(parser, 'or', left);
    case AND_RANK:
      return parseJunction(parser, 'and', left);
    case EQUALITY_RANK:
      return parseEquality(parser, left);
    case RELATION_RANK:
      return parseComparisons(parser, left, RELATION_RANK);
    case MEMBERSHIP_RANK:
      return parseMembership(parser, left);
    default:
      return parseArithmetic(parser, left, rank);
  }
}

function parseJunction(parser: Parser, kind: 'and' | 'or', first: Expression): Expression {
  const operandRank = kind === 'or' ? AND_RANK : EQUALITY_RANK;
  const operands = [first];
  let childHeight = parser.height;
  while (parser.tokens.acceptKeyword(kind)) {
    operands.push(parseOperators(parser, operandRank));
    childHeight = parser.tallest(childHeight);
  }
  const span = spanOf(first.span, parser.tokens.last);
  return parser.finish({ kind, operands, span }, childHeight);
}

/**
 * equality = relation , ( { ( "=" | "<>" | "!=" ) , relation }
 *                       | { [ NOT ] , ( LIKE | ILIKE ) , relation }
 *                       | [ NOT ] , BETWEEN , sum , AND , sum
 *                       | IS , [ NOT ] , ( NULL | type ) )
 *
 * The four do not mix: `(a = b) LIKE 'x'` needs its parentheses.
 */
function parseEquality(parser: Parser, value: Expression): Expression {
  const { tokens } = parser;
  const { kind, text } = tokens.peek();
  if (kind === 'symbol') return parseComparisons(parser, value, EQUALITY_RANK);
  tokens.weight += RARE_WEIGHT;
  // It is LIKE, ILIKE, BETWEEN or IS, or NOT before one of the first three.
  if (kind === 'identifier' && text.length === IS_LENGTH) return parseIsNull(parser, value);
  const isBetween =
    kind === 'identifier'
      ? text.length === BETWEEN_LENGTH
      : text === 'not' && isBetweenAhead(tokens, 1);
  return isBetween ? parseBetween(parser, value) : parseLikes(parser, value);
}

function mixture(tokens: TokenStream): OqlError {
  const reason = 'Equality, LIKE, BETWEEN and IS NULL cannot follow one another';
  return syntaxError(tokens.locate(tokens.peek()), reason, 'Put one of them in parentheses');
}

function parseLikes(parser: Parser, value: Expression): Expression {
  const { tokens } = parser;
  let result = value;
  while (isLikeAhead(tokens, tokens.isKeyword('not') ? 1 : 0)) {
    const childHeight = parser.height;
    const negated = tokens.acceptKeyword('not');
    const ignoresCase = tokens.take().kind !== 'keyword';
    const pattern = parseOperators(parser, RELATION_RANK);
    const span = spanOf(value.span, tokens.last);
    const like = { kind: 'like', ignoresCase, value: result, pattern, negated, span } as const;
    result = parser.finish(like, parser.tallest(childHeight));
  }
  return result;
}

function parseBetween(parser: Parser, value: Expression): Expression {
  const { tokens } = parser;
  let childHeight = parser.height;
  const negated = tokens.acceptKeyword('not');
  tokens.expectContextual('between');
  const low = parseOperators(parser, SUM_RANK);
  childHeight = parser.tallest(childHeight);
  tokens.expectKeyword('and');
  const high = parseOperators(parser, SUM_RANK);
  const span = spanOf(value.span, tokens.last);
  const between = { kind: 'between', value, low, high, negated, span } as const;
  return parser.finish(between, parser.tallest(childHeight));
}

function parseIsNull(parser: Parser, value: Expression): Expression {
  const { tokens } = parser;
  tokens.expectContextual('is');
  const negated = tokens.acceptKeyword('not');
  const isNull = tokens.acceptKeyword('null');
  const type = isNull ? '' : takeTypeWord(tokens);
  const span = spanOf(value.span, tokens.last);
  const node = isNull
    ? ({ kind: 'is-null', value, negated, span } as const)
    : ({ kind: 'is-type', value, type, negated, span } as const);
  return parser.finish(node, parser.height);
}

/** Comparisons associate to the left: `1 < 2 = TRUE` compares the outcome of `1 < 2`. */
function parseComparisons(parser: Parser, first: Expression, rank: number): Expression {
  const { tokens } = parser;
  let left = first;
  for (;;) {
    const { kind, text } = tokens.peek();
    const operator = kind === 'symbol' ? COMPARISONS[rank]?.get(text) : undefined;
    if (operator === undefined) return left;
    const childHeight = parser.height;
    tokens.take();
    const quantifier = acceptQuantifier(tokens);
    const right =
      quantifier === undefined ? parseOperators(parser, rank + 1) : parseCollection(parser);
    const span = spanOf(first.span, tokens.last);
    const comparison = { kind: 'comparison', operator, quantifier, left, right, span } as const;
    left = parser.finish(comparison, parser.tallest(childHeight));
  }
}

/** The operand of ANY, SOME and ALL. */
function parseCollection(parser: Parser): Expression {
  return parseList(parser) ?? parsePostfix(parser, parsePrimary(parser));
}

/** [ ANY | SOME | ALL ], before a collection */
function acceptQuantifier(tokens: TokenStream): 'any' | 'all' | undefined {
  if (tokens.peek().kind !== 'keyword') return undefined;
  const isAny = tokens.isKeyword('any') || tokens.isKeyword('some');
  if (!isAny && !tokens.isKeyword('all')) return undefined;
  tokens.weight += RARE_WEIGHT;
  tokens.take();
  return isAny ? 'any' : 'all';
}

const COMPARISONS: Readonly<Record<number, ReadonlyMap<string, ComparisonOperator>>> = {
  [EQUALITY_RANK]: new Map([
    ['=', '='],
    ['<>', '<>'],
    ['!=', '<>'],
  ]),
  [RELATION_RANK]: new Map([
    ['<', '<'],
    ['<=', '<='],
    ['>', '>'],
    ['>=', '>='],
  ]),
};

function parseArithmetic(parser: Parser, first: Expression, rank: number): Expression {
  const { tokens } = parser;
  let left = first;
  let next = rank;
  while (next === rank) {
    const childHeight = parser.height;
    parser.countPart('arithmetic operator');
    const { text } = tokens.take();
    // No other operators have these ranks.
    const operator = text === 'mod' ? '%' : (text as Arithmetic['operator']);
    let right = parseUnary(parser);
    next = operatorRank(tokens.peek());
    if (next > rank) {
      right = parseOperators(parser, rank + 1, right);
      next = operatorRank(tokens.peek());
    }
    const span = spanOf(first.span, tokens.last);
    const arithmetic = { kind: 'arithmetic', operator, left, right, span } as const;
    left = parser.finish(arithmetic, parser.tallest(childHeight));
  }
  return left;
}

/** membership = unary , [ [ NOT ] , IN , ( unary | list ) ] */
function parseMembership(parser: Parser, value: Expression): Expression {
  const { tokens } = parser;
  const childHeight = parser.height;
  tokens.weight += RARE_WEIGHT;
  const negated = tokens.acceptKeyword('not');
  tokens.expectKeyword('in');
  const collection = parseList(parser) ?? parseUnary(parser);
  const span = spanOf(value.span, tokens.last);
  const membership = { kind: 'in', value, collection, negated, span } as const;
  return parser.finish(membership, parser.tallest(childHeight));
}

/**
 * unary = { "+" } , [ "-" | NOT ] , { "+" } , postfix
 *
 * A plus has no effect and is not in the tree. NOT binds as tightly as the minus: `NOT a = 1`
 * negates `a` and compares the outcome.
 */
function parseUnary(parser: Parser): Expression {
  const { tokens } = parser;
  const start = tokens.peek();
  if (start.kind === 'identifier' || start.kind === 'int') {
    if (isEndOfOperand(tokens.text, start.end)) return parsePlain(parser, start);
    // No call, and no CASE.
    const isPlain = start.kind === 'int' || tokens.text.charAt(start.end) === '.';
    if (isPlain) return parsePostfix(parser, parsePlain(parser, start));
  }
  if (!isSign(start)) return parsePostfix(parser, parsePrimary(parser, start));
  skipPluses(tokens);
  const isNegated = tokens.isSymbol('-') || tokens.isKeyword('not');
  if (!isNegated) return parsePostfix(parser, parsePrimary(parser));
  const operator = tokens.take().kind === 'symbol' ? 'minus' : 'not';
  skipPluses(tokens);
  if (operator === 'minus' && isNumberAhead(tokens)) {
    // The sign belongs to the number, so that -2147483648 is an int.
    return parsePostfix(parser, parseNumber(parser, start));
  }
  refuseStackedOperator(tokens);
  if (operator === 'minus') parser.countPart('arithmetic operator', start);
  else tokens.weight += RARE_WEIGHT;
  const operand = parsePostfix(parser, parsePrimary(parser));
  const span = spanOf(start, tokens.last);
  return parser.finish({ kind: 'unary', operator, operand, span }, parser.height);
}

function isSign({ kind, text }: Token): boolean {
  if (kind === 'symbol') return text === '+' || text === '-';
  return kind === 'keyword' && text === 'not';
}

function skipPluses(tokens: TokenStream): void {
  while (tokens.acceptSymbol('+'));
}

function isNumberAhead(tokens: TokenStream): boolean {
  const { kind } = tokens.peek();
  return kind === 'int' || kind === 'long' || kind === 'float' || kind === 'double';
}

function refuseStackedOperator(tokens: TokenStream): void {
  if (!tokens.isSymbol('-') && !tokens.isKeyword('not')) return;
  const hint = 'Put the inner one in parentheses: NOT (NOT x), -(-x)';
  throw syntaxError(tokens.locate(tokens.peek()), 'Only one sign or NOT can precede a value', hint);
}

/**
 * postfix = primary , { "[" , expr , "]"
 *                     | ( "." | "->" ) , identifier , [ arguments ] }
 */
function parsePostfix(parser: Parser, primary: Expression): Expression {
  const { tokens } = parser;
  let target = primary;
  for (;;) {
    const { kind, text: symbol } = tokens.peek();
    if (kind !== 'symbol') return target;
    if (symbol === '[') target = parseIndex(parser, target);
    else if (symbol === '.' || symbol === '->') target = parseMember(parser, target);
    else return target;
  }
}

function parseIndex(parser: Parser, target: Expression): Expression {
  const { tokens, height: childHeight } = parser;
  tokens.weight += RARE_WEIGHT;
  tokens.expectSymbol('[');
  if (tokens.isSymbol('*')) {
    throw notSupported(tokens.locate(tokens.peek()), 'The index [*] in a query');
  }
  const index = parser.expression();
  if (tokens.isSymbol(':')) throw notSupported(tokens.locate(tokens.peek()), 'A range of indexes');
  if (tokens.isSymbol(',')) throw notSupported(tokens.locate(tokens.peek()), 'A list of indexes');
  tokens.expectSymbol(']');
  const span = spanOf(target.span, tokens.last);
  return parser.finish({ kind: 'index', target, index, span }, parser.tallest(childHeight));
}

function parseMember(parser: Parser, target: Expression): Expression {
  const { tokens, height: childHeight } = parser;
  tokens.take();
  const name = tokens.expectIdentifier('the name of a member');
  if (!tokens.isSymbol('(')) {
    const { text, start: nameStart } = name;
    const span = spanOf(target.span, name);
    return parser.finish({ kind: 'member', target, name: text, nameStart, span }, childHeight);
  }
  parser.countPart('call', name);
  const nameSpan = spanOf(name, name);
  const args = parseArguments(parser);
  const span = spanOf(target.span, tokens.last);
  return parser.finish(
    { kind: 'method', target, name: name.text, arguments: args, nameSpan, span },
    parser.tallest(childHeight),
  );
}
