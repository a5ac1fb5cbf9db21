// The operands of expressions: names, functions, parameters and everything in parentheses.

import { notSupported, type OqlError, syntaxError } from '../errors.ts';
import { AGGREGATES, type AggregateFunction, findAggregate } from './aggregate-functions.ts';
import type { Expression, NamedParameter, NumberedParameter, Placeholder } from './ast.ts';
import { isCaseAhead, parseCase } from './parse-case.ts';
import {
  createCall,
  parseArguments,
  parseFunctionKeyword,
  parseInterval,
  parseWordyArguments,
  textLiteral,
} from './parse-function.ts';
import {
  parseConstant,
  parseNumberLiteral,
  parseTypedLiteral,
  SHORT_INTEGER,
} from './parse-literal.ts';
import { type Parser, RARE_WEIGHT } from './parser.ts';
import { type Span, spanOf } from './position.ts';
import { isBareFunction, type Token } from './token.ts';
import { quoteHint, type TokenStream } from './token-stream.ts';

/**
 * primary = function | aggregate | SET , arguments | identifier , [ arguments ]
 *         | placeholder | literal | "(" , query , ")" | regionPath | case
 *
 * `token` is the next one.
 */
export function parsePrimary(parser: Parser, token: Token = parser.tokens.peek()): Expression {
  const { tokens } = parser;
  switch (token.kind) {
    case 'identifier':
    case 'quoted-identifier':
      return isCaseAhead(parser) ? parseCase(parser) : parseName(parser);
    case 'int':
    case 'long':
    case 'float':
    case 'double':
      return parseNumber(parser, token);
    case 'string': {
      tokens.take();
      return parser.finishLeaf(textLiteral(token.text, token));
    }
    case 'region-path':
      return parseRegionPath(parser);
    case 'symbol':
      return parseSymbol(parser, token);
    case 'keyword':
      return parseKeyword(parser, token);
    case 'end':
      throw tokens.unexpected('an expression');
  }
}

/**
 * The next token, a name or an int, if nothing after it can belong to it. Long texts consist of
 * such operands, and the first one runs in V8's interpreter, where each call counts.
 */
export function parsePlain(parser: Parser, token: Token): Expression {
  const { text, start, end } = token;
  const isName = token.kind === 'identifier';
  if (isName ? isBareFunction(text) : text.length > SHORT_INTEGER) {
    return parsePrimary(parser, token);
  }
  parser.tokens.take();
  parser.height = 1;
  const span = { start, end };
  return isName
    ? { kind: 'name', name: text, span }
    : { kind: 'literal', type: 'int', value: Number(text), text, span };
}

/** A number; `start` is the minus before it, if there is one. */
export function parseNumber(parser: Parser, start: Span): Expression {
  return parser.finishLeaf(parseNumberLiteral(parser.tokens, start));
}

/** identifier , [ arguments ] */
function parseName(parser: Parser): Expression {
  const { tokens } = parser;
  const name = tokens.take();
  if (!tokens.isSymbol('(')) {
    const isBare = name.kind === 'identifier' && isBareFunction(name.text);
    if (isBare) return finishCall(parser, name, []);
    return parser.finishLeaf({ kind: 'name', name: name.text, span: spanOf(name, name) });
  }
  if (tokens.isSymbol('*', 1)) throw misspeltCount(tokens, name);
  const aggregate = name.kind === 'identifier' ? findAggregate(name.text) : undefined;
  if (aggregate !== undefined) {
    const node = finishAggregate(parser, name, aggregate);
    return parser.finish(node, parser.height);
  }
  return finishCall(parser, name, parseWordyArguments(parser, name));
}

function finishCall(parser: Parser, name: Token, args: readonly Expression[]): Expression {
  const call = createCall(parser, name, name.text, args);
  return parser.finish(call, args.length === 0 ? 0 : parser.height);
}

/** Only COUNT accepts a star. */
function misspeltCount(tokens: TokenStream, name: Token): OqlError {
  const reason = `${name.text} does not take *`;
  return syntaxError(tokens.locate(name), reason, 'Did you mean COUNT(*)?');
}

function parseRegionPath(parser: Parser): Expression {
  const { segments, start, end } = parser.tokens.takeRegionPath();
  return parser.finishLeaf({ kind: 'region-path', segments, span: { start, end } });
}

function parseSymbol(parser: Parser, token: Token): Expression {
  const { tokens } = parser;
  switch (token.text) {
    case '(':
      return parseParenthesised(parser);
    case '$':
    case ':':
      return parser.finishLeaf(parsePlaceholder(parser));
    case '/':
      return parseRegionPath(parser);
    case '.':
      throw tokens.unexpected('an expression', 'A number cannot start with a point: write 0.5');
    default:
      throw tokens.unexpected('an expression');
  }
}

/** "(" , query , ")" */
function parseParenthesised(parser: Parser): Expression {
  parser.tokens.expectSymbol('(');
  const query = parser.query();
  parser.tokens.expectSymbol(')');
  return query;
}

/** placeholder = "$" , INT | ":" , identifier */
export function parsePlaceholder(parser: Parser): Placeholder {
  const { tokens } = parser;
  const placeholder = tokens.isSymbol('$') ? numberedParameter(tokens) : namedParameter(tokens);
  parser.declarePlaceholder(placeholder);
  return placeholder;
}

function numberedParameter(tokens: TokenStream): NumberedParameter {
  const start = tokens.expectSymbol('$');
  if (tokens.peek().kind !== 'int') throw tokens.unexpected('the number of a bind parameter');
  const token = tokens.take();
  const number = Number(token.text);
  const span = spanOf(start, token);
  if (number === 0) throw syntaxError(tokens.locate(span), 'Bind parameters are numbered from $1');
  return { kind: 'numbered-parameter', number, span };
}

function namedParameter(tokens: TokenStream): NamedParameter {
  const start = tokens.expectSymbol(':');
  const token = tokens.peek();
  // With no blank between, a reserved word is plainly a name too: `:limit`.
  const isName = token.kind === 'identifier' || token.kind === 'keyword';
  if (!isName || token.start !== start.end) throw tokens.unexpected('the name of a bind parameter');
  return { kind: 'named-parameter', name: tokens.takeName().text, span: spanOf(start, token) };
}

function parseKeyword(parser: Parser, token: Token): Expression {
  const parse = KEYWORD_PRIMARIES[token.text];
  if (parse === undefined) throw misplacedKeyword(parser.tokens, token);
  // Its parts set the height; a constant has none.
  parser.height = 0;
  const node = parse(parser);
  return parser.finish(node, parser.height);
}

const KEYWORD_PRIMARIES: Readonly<Partial<Record<string, (parser: Parser) => Expression>>> = {
  element: parseElement,
  nvl: parseNvl,
  to_date: parseFunctionKeyword,
  abs: parseFunctionKeyword,
  exists: parseExists,
  interval: parseInterval,
  mod: parseFunctionKeyword,
  is_defined: (parser) => parseDefinedness(parser, false),
  is_undefined: (parser) => parseDefinedness(parser, true),
  count: (parser) => parseAggregate(parser, 'count'),
  sum: (parser) => parseAggregate(parser, 'sum'),
  avg: (parser) => parseAggregate(parser, 'avg'),
  min: (parser) => parseAggregate(parser, 'min'),
  max: (parser) => parseAggregate(parser, 'max'),
  first: (parser) => parseFirstOrLast(parser, 'first'),
  last: (parser) => parseFirstOrLast(parser, 'last'),
  set: parseSet,
  null: parseConstant,
  nil: parseConstant,
  undefined: parseConstant,
  true: parseConstant,
  false: parseConstant,
  char: parseTypedLiteral,
  date: parseTypedLiteral,
  time: parseTypedLiteral,
  timestamp: parseTypedLiteral,
};

/** Keywords of OQL that are not supported here: names of functions, and others. */
const REFUSED_FUNCTIONS: ReadonlySet<string> = new Set(
  'struct list array bag dictionary unique flatten listtoset distinct'.split(' '),
);
const REFUSED_WORDS: ReadonlySet<string> = new Set(
  'any all some define undefine declare'.split(' '),
);

function findRefused(word: string): string | undefined {
  if (REFUSED_FUNCTIONS.has(word)) return `${word.toUpperCase()}(…)`;
  if (word === 'for') return 'FOR ALL';
  return REFUSED_WORDS.has(word) ? word.toUpperCase() : undefined;
}

const ANGLE_BRACKET_WORDS: ReadonlySet<string> = new Set(['trace', 'hint']);

function misplacedKeyword(tokens: TokenStream, token: Token): OqlError {
  const refused = findRefused(token.text);
  const hint = ANGLE_BRACKET_WORDS.has(token.text)
    ? '<TRACE> stands at the very beginning, <HINT …> right before SELECT'
    : (tokens.misspelledSelectHint() ?? quoteHint(tokens.text.slice(token.start, token.end)));
  if (refused === undefined) return tokens.unexpected('an expression', hint);
  return notSupported(tokens.locate(token), refused, tokens.isSymbol('(', 1) ? undefined : hint);
}

/** EXISTS , "(" , query , ")" */
function parseExists(parser: Parser): Expression {
  const { tokens } = parser;
  const name = tokens.take();
  if (!tokens.isSymbol('(')) {
    const hint = 'Write EXISTS (SELECT … FROM … WHERE …)';
    throw notSupported(tokens.locate(name), 'EXISTS without parentheses', hint);
  }
  return createCall(parser, name, 'EXISTS', [parseParenthesised(parser)]);
}

/** ELEMENT , "(" , query , ")" */
function parseElement(parser: Parser): Expression {
  const start = parser.tokens.take();
  const operand = parseParenthesised(parser);
  return { kind: 'element', operand, span: spanOf(start, parser.tokens.last) };
}

/** NVL , "(" , expr , "," , expr , ")" */
function parseNvl(parser: Parser): Expression {
  const { tokens } = parser;
  const start = tokens.take();
  parser.countPart('call', start);
  tokens.expectSymbol('(');
  const value = parser.expression();
  const childHeight = parser.height;
  tokens.expectSymbol(',');
  const fallback = parser.expression();
  parser.height = parser.tallest(childHeight);
  tokens.expectSymbol(')');
  return { kind: 'nvl', value, fallback, span: spanOf(start, tokens.last) };
}

/** ( IS_DEFINED | IS_UNDEFINED ) , "(" , query , ")" */
function parseDefinedness(parser: Parser, negated: boolean): Expression {
  const start = parser.tokens.take();
  const operand = parseParenthesised(parser);
  return { kind: 'is-defined', operand, negated, span: spanOf(start, parser.tokens.last) };
}

/** FIRST and LAST of the rows of a group; of a collection they are not supported. */
function parseFirstOrLast(parser: Parser, name: 'first' | 'last'): Expression {
  const { tokens } = parser;
  const inner = tokens.peek(2);
  if (inner.kind === 'keyword' && inner.text === 'select') {
    throw notSupported(tokens.locate(tokens.peek()), `${name.toUpperCase()}(…)`);
  }
  return parseAggregate(parser, name);
}

function parseAggregate(parser: Parser, name: AggregateFunction): Expression {
  return finishAggregate(parser, parser.tokens.take(), name);
}

/**
 * aggregate = COUNT , "(" , "*" , ")" | name , "(" , [ DISTINCT ] , expr , ")"
 *
 * The table of aggregates has the names, and those that take DISTINCT.
 */
function finishAggregate(parser: Parser, start: Token, name: AggregateFunction): Expression {
  const { tokens } = parser;
  parser.countPart('aggregate', start);
  tokens.expectSymbol('(');
  const isStar = name === 'count' && tokens.acceptSymbol('*');
  const { takesDistinct } = AGGREGATES[name];
  if (!takesDistinct && tokens.isKeyword('distinct')) {
    const reason = `${name.toUpperCase()} does not take DISTINCT`;
    throw syntaxError(tokens.locate(tokens.peek()), reason);
  }
  const isDistinct = !isStar && tokens.acceptKeyword('distinct');
  // MIN and MAX of distinct values are the same as of all values.
  const distinct = isDistinct && name !== 'min' && name !== 'max';
  const argument = isStar ? undefined : parser.expression();
  tokens.expectSymbol(')');
  return {
    kind: 'aggregate',
    function: name,
    distinct,
    argument,
    span: spanOf(start, tokens.last),
  };
}

/** SET , arguments */
function parseSet(parser: Parser): Expression {
  const start = parser.tokens.take();
  parser.tokens.weight += RARE_WEIGHT;
  const elements = parseArguments(parser);
  return { kind: 'set', form: 'set', elements, span: spanOf(start, parser.tokens.last) };
}
