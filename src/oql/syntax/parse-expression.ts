// Expressions from OR down to member access, one function per production, loosest first.

import { notSupported, type OqlError, syntaxError } from '../errors.ts';
import type { Arithmetic, ComparisonOperator, Expression } from './ast.ts';
import { parseArguments } from './parse-function.ts';
import { parseList } from './parse-list.ts';
import { parseNumber, parsePrimary } from './parse-primary.ts';
import {
  isBetweenAhead,
  isCastAhead,
  isIsNullAhead,
  isLikeAhead,
  parseType,
  takeTypeWord,
} from './parse-type.ts';
import type { Parser } from './parser.ts';
import { spanOf } from './position.ts';
import { EQUALITY_RANK, operatorRank, PRODUCT_RANK, RELATION_RANK, SUM_RANK } from './token.ts';
import type { TokenStream } from './token-stream.ts';

type BinaryOperator = Arithmetic['operator'];

/** Parses one level of operators; its first operand may have been parsed before. */
type Parse = (parser: Parser, first?: Expression) => Expression;

/** expr = "(" , type , ")" , expr | orExpr */
export function parseExpression(parser: Parser): Expression {
  const { tokens } = parser;
  if (!isCastAhead(parser)) return parseOr(parser);
  const start = tokens.take();
  const type = parseType(parser);
  tokens.expectSymbol(')');
  const operand = parser.expression();
  const span = spanOf(start, tokens.last);
  return parser.finish({ kind: 'cast', type, operand, span }, parser.height);
}

/** orExpr = andExpr , { OR , andExpr } */
function parseOr(parser: Parser): Expression {
  const first = parseUnary(parser);
  if (operatorRank(parser.tokens.peek()) === 0) return first;
  return parseJunction(parser, 'or', parseAnd, first);
}

/** andExpr = equality , { AND , equality } */
function parseAnd(parser: Parser, parsed?: Expression): Expression {
  return parseJunction(parser, 'and', parseEquality, parsed);
}

function parseJunction(
  parser: Parser,
  kind: 'and' | 'or',
  parseOperand: Parse,
  parsed: Expression | undefined,
): Expression {
  const first = parseOperand(parser, parsed);
  if (!parser.tokens.isKeyword(kind)) return first;
  const operands = [first];
  let below = parser.height;
  while (parser.tokens.acceptKeyword(kind)) {
    operands.push(parseOperand(parser));
    below = parser.tallest(below);
  }
  const span = spanOf(first.span, parser.tokens.last);
  return parser.finish({ kind, operands, span }, below);
}

/**
 * equality = relation , ( { ( "=" | "<>" | "!=" ) , relation }
 *                       | { [ NOT ] , ( LIKE | ILIKE ) , relation }
 *                       | [ NOT ] , BETWEEN , sum , AND , sum
 *                       | IS , [ NOT ] , ( NULL | type ) )
 *
 * The four do not mix: `(a = b) LIKE 'x'` needs its parentheses.
 */
function parseEquality(parser: Parser, parsed?: Expression): Expression {
  const value = parseRelation(parser, parsed);
  const form = equalityFormAhead(parser.tokens);
  if (form === undefined) return value;
  const expression = EQUALITY_FORMS[form](parser, value);
  if (equalityFormAhead(parser.tokens) !== undefined) throw mixture(parser.tokens);
  return expression;
}

type EqualityForm = 'comparison' | 'like' | 'between' | 'is-null';

const EQUALITY_FORMS: Readonly<
  Record<EqualityForm, (parser: Parser, value: Expression) => Expression>
> = {
  comparison: (parser, value) =>
    parseComparisons(parser, value, equalityOperatorAhead, parseRelation),
  like: parseLikes,
  between: parseBetween,
  'is-null': parseIsNull,
};

function equalityFormAhead(tokens: TokenStream): EqualityForm | undefined {
  if (operatorRank(tokens.peek()) < EQUALITY_RANK) return undefined;
  if (equalityOperatorAhead(tokens) !== undefined) return 'comparison';
  const ahead = tokens.isKeyword('not') ? 1 : 0;
  if (isLikeAhead(tokens, ahead)) return 'like';
  if (isBetweenAhead(tokens, ahead)) return 'between';
  return isIsNullAhead(tokens) ? 'is-null' : undefined;
}

function mixture(tokens: TokenStream): OqlError {
  const reason = 'Equality, LIKE, BETWEEN and IS NULL cannot follow one another';
  return syntaxError(tokens.place(tokens.peek()), reason, 'Put one of them in parentheses');
}

function parseLikes(parser: Parser, value: Expression): Expression {
  const { tokens } = parser;
  let result = value;
  while (isLikeAhead(tokens, tokens.isKeyword('not') ? 1 : 0)) {
    const below = parser.height;
    const negated = tokens.acceptKeyword('not');
    const ignoresCase = tokens.take().kind !== 'keyword';
    const pattern = parseRelation(parser);
    const span = spanOf(value.span, tokens.last);
    const like = { kind: 'like', ignoresCase, value: result, pattern, negated, span } as const;
    result = parser.finish(like, parser.tallest(below));
  }
  return result;
}

function parseBetween(parser: Parser, value: Expression): Expression {
  const { tokens } = parser;
  let below = parser.height;
  const negated = tokens.acceptKeyword('not');
  tokens.expectContextual('between');
  const low = parseSum(parser);
  below = parser.tallest(below);
  tokens.expectKeyword('and');
  const high = parseSum(parser);
  const span = spanOf(value.span, tokens.last);
  const between = { kind: 'between', value, low, high, negated, span } as const;
  return parser.finish(between, parser.tallest(below));
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

/** relation = sum , { ( "<" | "<=" | ">" | ">=" ) , sum } */
function parseRelation(parser: Parser, parsed?: Expression): Expression {
  const first = parsed ?? parseUnary(parser);
  if (operatorRank(parser.tokens.peek()) < RELATION_RANK) return first;
  return parseComparisons(parser, parseSum(parser, first), relationOperatorAhead, parseSum);
}

/** Comparisons associate to the left: `1 < 2 = TRUE` compares the outcome of `1 < 2`. */
function parseComparisons(
  parser: Parser,
  first: Expression,
  operatorAhead: (tokens: TokenStream) => ComparisonOperator | undefined,
  parseOperand: Parse,
): Expression {
  const { tokens } = parser;
  let left = first;
  for (;;) {
    const operator = operatorAhead(tokens);
    if (operator === undefined) return left;
    const below = parser.height;
    tokens.take();
    const quantifier = acceptQuantifier(tokens);
    const right = quantifier === undefined ? parseOperand(parser) : parseCollection(parser);
    const span = spanOf(first.span, tokens.last);
    const comparison = { kind: 'comparison', operator, quantifier, left, right, span } as const;
    left = parser.finish(comparison, parser.tallest(below));
  }
}

/** What stands after ANY, SOME and ALL. */
function parseCollection(parser: Parser): Expression {
  return parseList(parser) ?? parsePostfix(parser, parsePrimary(parser));
}

/** [ ANY | SOME | ALL ], before a collection */
function acceptQuantifier(tokens: TokenStream): 'any' | 'all' | undefined {
  if (tokens.peek().kind !== 'keyword') return undefined;
  const isAny = tokens.isKeyword('any') || tokens.isKeyword('some');
  if (!isAny && !tokens.isKeyword('all')) return undefined;
  tokens.take();
  return isAny ? 'any' : 'all';
}

function equalityOperatorAhead(tokens: TokenStream): ComparisonOperator | undefined {
  const symbol = tokens.symbolAhead();
  if (symbol === '=') return '=';
  return symbol === '<>' || symbol === '!=' ? '<>' : undefined;
}

function relationOperatorAhead(tokens: TokenStream): ComparisonOperator | undefined {
  const symbol = tokens.symbolAhead();
  const isRelation = symbol === '<' || symbol === '<=' || symbol === '>' || symbol === '>=';
  return isRelation ? symbol : undefined;
}

/** sum = product , { ( "+" | "-" | "||" ) , product } */
function parseSum(parser: Parser, parsed?: Expression): Expression {
  const first = parsed ?? parseUnary(parser);
  if (operatorRank(parser.tokens.peek()) < SUM_RANK) return first;
  return parseArithmetic(parser, sumOperatorAhead, parseProduct, first);
}

/** product = membership , { ( "*" | "/" | "%" | MOD ) , membership } */
function parseProduct(parser: Parser, parsed?: Expression): Expression {
  const first = parsed ?? parseUnary(parser);
  if (operatorRank(parser.tokens.peek()) < PRODUCT_RANK) return first;
  return parseArithmetic(parser, productOperatorAhead, parseMembership, first);
}

function sumOperatorAhead(tokens: TokenStream): BinaryOperator | undefined {
  const symbol = tokens.symbolAhead();
  return symbol === '+' || symbol === '-' || symbol === '||' ? symbol : undefined;
}

function productOperatorAhead(tokens: TokenStream): BinaryOperator | undefined {
  if (tokens.isKeyword('mod')) return '%';
  const symbol = tokens.symbolAhead();
  return symbol === '*' || symbol === '/' || symbol === '%' ? symbol : undefined;
}

function parseArithmetic(
  parser: Parser,
  operatorAhead: (tokens: TokenStream) => BinaryOperator | undefined,
  parseOperand: Parse,
  parsed: Expression,
): Expression {
  const { tokens } = parser;
  const first = parseOperand(parser, parsed);
  let left = first;
  for (;;) {
    const operator = operatorAhead(tokens);
    if (operator === undefined) return left;
    const below = parser.height;
    tokens.take();
    const right = parseOperand(parser);
    const span = spanOf(first.span, tokens.last);
    const arithmetic = { kind: 'arithmetic', operator, left, right, span } as const;
    left = parser.finish(arithmetic, parser.tallest(below));
  }
}

/** membership = unary , [ [ NOT ] , IN , ( unary | list ) ] */
function parseMembership(parser: Parser, parsed?: Expression): Expression {
  const { tokens } = parser;
  const value = parsed ?? parseUnary(parser);
  const isNegated = tokens.isKeyword('not') && tokens.isKeyword('in', 1);
  if (!isNegated && !tokens.isKeyword('in')) return value;
  const below = parser.height;
  const negated = tokens.acceptKeyword('not');
  tokens.expectKeyword('in');
  const collection = parseList(parser) ?? parseUnary(parser);
  const span = spanOf(value.span, tokens.last);
  const membership = { kind: 'in', value, collection, negated, span } as const;
  return parser.finish(membership, parser.tallest(below));
}

/**
 * unary = { "+" } , [ "-" | NOT ] , { "+" } , postfix
 *
 * A plus says nothing and leaves no trace. NOT binds as tightly as the minus: `NOT a = 1` negates
 * `a` and compares the outcome.
 */
function parseUnary(parser: Parser): Expression {
  const { tokens } = parser;
  const start = tokens.peek();
  if (start.kind !== 'symbol' && start.kind !== 'keyword') {
    return parsePostfix(parser, parsePrimary(parser));
  }
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
  const operand = parsePostfix(parser, parsePrimary(parser));
  const span = spanOf(start, tokens.last);
  return parser.finish({ kind: 'unary', operator, operand, span }, parser.height);
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
  throw syntaxError(tokens.place(tokens.peek()), 'Only one sign or NOT can precede a value', hint);
}

/**
 * postfix = primary , { "[" , expr , "]"
 *                     | ( "." | "->" ) , identifier , [ arguments ] }
 */
function parsePostfix(parser: Parser, primary: Expression): Expression {
  const { tokens } = parser;
  let target = primary;
  for (;;) {
    const symbol = tokens.symbolAhead();
    if (symbol === '[') target = parseIndex(parser, target);
    else if (symbol === '.' || symbol === '->') target = parseMember(parser, target);
    else return target;
  }
}

function parseIndex(parser: Parser, target: Expression): Expression {
  const { tokens, height: below } = parser;
  tokens.expectSymbol('[');
  if (tokens.isSymbol('*')) {
    throw notSupported(tokens.place(tokens.peek()), 'The index [*] in a query');
  }
  const index = parser.expression();
  if (tokens.isSymbol(':')) throw notSupported(tokens.place(tokens.peek()), 'A range of indexes');
  if (tokens.isSymbol(',')) throw notSupported(tokens.place(tokens.peek()), 'A list of indexes');
  tokens.expectSymbol(']');
  const span = spanOf(target.span, tokens.last);
  return parser.finish({ kind: 'index', target, index, span }, parser.tallest(below));
}

function parseMember(parser: Parser, target: Expression): Expression {
  const { tokens, height: below } = parser;
  tokens.take();
  const name = tokens.expectIdentifier('the name of a member');
  const nameSpan = spanOf(name, name);
  if (!tokens.isSymbol('(')) {
    const span = spanOf(target.span, name);
    return parser.finish({ kind: 'member', target, name: name.text, nameSpan, span }, below);
  }
  const args = parseArguments(parser);
  const span = spanOf(target.span, tokens.last);
  return parser.finish(
    { kind: 'method', target, name: name.text, arguments: args, nameSpan, span },
    parser.tallest(below),
  );
}
