// Calls: arguments, and the functions whose arguments are separated by words.

import { notSupported } from '../errors.ts';
import type { Expression, Literal } from './ast.ts';
import type { Parser } from './parser.ts';
import { spanOf } from './position.ts';
import type { Token } from './token.ts';

/** The tokens of `-1`, `$1` and `DATE '2020-01-01'`. */
const MAX_VALUE_TOKENS = 2;

function isValue({ kind }: Expression): boolean {
  return kind === 'literal' || kind === 'numbered-parameter' || kind === 'named-parameter';
}

/** arguments = "(" , [ expr , { "," , expr } ] , ")"; the height left is that of the tallest */
export function parseArguments(parser: Parser): readonly Expression[] {
  const { tokens } = parser;
  tokens.expectSymbol('(');
  const args: Expression[] = [];
  let childHeight = 0;
  if (tokens.acceptSymbol(')')) {
    parser.height = childHeight;
    return args;
  }
  do {
    const { weight } = tokens;
    const argument = parser.expression();
    args.push(argument);
    // Long lists of values weigh only their commas; parentheses around a value are no part of it.
    if (isValue(argument) && tokens.weight <= weight + MAX_VALUE_TOKENS) tokens.weight = weight;
    childHeight = parser.tallest(childHeight);
    if (tokens.isSymbol(':')) {
      throw notSupported(tokens.locate(tokens.peek()), 'The construction of an object');
    }
  } while (tokens.acceptSymbol(','));
  tokens.expectSymbol(')');
  parser.height = childHeight;
  return args;
}

/** A call of `name`, at the position of `token`. */
export function createCall(
  parser: Parser,
  token: Token,
  name: string,
  args: readonly Expression[],
): Expression {
  const { tokens } = parser;
  parser.countPart('call', token);
  const span = spanOf(token, tokens.last);
  return { kind: 'call', name, arguments: args, nameSpan: spanOf(token, token), span };
}

/** Reserved words that are functions: ( ABS | MOD | TO_DATE ) , arguments */
export function parseFunctionKeyword(parser: Parser): Expression {
  const name = parser.tokens.take();
  const args = parseArguments(parser);
  return createCall(parser, name, name.text.toUpperCase(), args);
}

/** The arguments of a call of `name`. */
export function parseWordyArguments(parser: Parser, name: Token): readonly Expression[] {
  const word = name.kind === 'identifier' ? name.text.toLowerCase() : '';
  switch (word) {
    case 'cast':
      return parseCastArguments(parser);
    case 'extract':
      return parseExtractArguments(parser);
    case 'substring':
      return parseSubstringArguments(parser);
    case 'position':
      return parsePositionArguments(parser);
    case 'trim':
      refuseTrimSides(parser);
      return parseArguments(parser);
    default:
      return parseArguments(parser);
  }
}

/** "(" , expr , FROM , expr , [ FOR , expr ] , ")": as if there were commas. */
function parseSubstringArguments(parser: Parser): readonly Expression[] {
  const { tokens } = parser;
  tokens.expectSymbol('(');
  const text = parser.expression();
  const args = [text];
  let childHeight = parser.height;
  if (!tokens.isKeyword('from')) return parseMoreArguments(parser, text);
  for (const word of ['from', 'for']) {
    if (!tokens.acceptKeyword(word)) continue;
    args.push(parser.expression());
    childHeight = parser.tallest(childHeight);
  }
  tokens.expectSymbol(')');
  parser.height = childHeight;
  return args;
}

/** "(" , expr , IN , expr , ")": as if there were a comma. */
function parsePositionArguments(parser: Parser): readonly Expression[] {
  const args = parseArguments(parser);
  const [only, second] = args;
  return only?.kind === 'in' && second === undefined ? [only.value, only.collection] : args;
}

const SIDES: readonly string[] = ['both', 'leading', 'trailing'];

function refuseTrimSides({ tokens }: Parser): void {
  const side = SIDES.find((each) => tokens.isContextual(each, 1));
  const next = tokens.peek(2);
  const isSide =
    next.kind === 'string' || next.kind === 'identifier' || tokens.isKeyword('from', 2);
  if (side === undefined || !isSide) return;
  const hint = 'Write TRIM(text) for both sides, LTRIM(text) or RTRIM(text) for one';
  throw notSupported(tokens.locate(tokens.peek(1)), `TRIM(${side.toUpperCase()} …)`, hint);
}

/** CAST , "(" , expr , AS , type , ")": the type is passed on as a text. */
function parseCastArguments(parser: Parser): readonly Expression[] {
  const { tokens } = parser;
  tokens.expectSymbol('(');
  const operand = parser.expression();
  if (!tokens.isKeyword('as')) return parseMoreArguments(parser, operand);
  tokens.take();
  const type = tokens.peek();
  const isWord = type.kind === 'identifier' || type.kind === 'keyword';
  if (!isWord) throw tokens.unexpected('a type');
  const text = tokens.take().text.toLowerCase();
  tokens.expectSymbol(')');
  return [operand, textLiteral(text, type)];
}

/** EXTRACT , "(" , unit , FROM , expr , ")": the unit is passed on as a text. */
function parseExtractArguments(parser: Parser): readonly Expression[] {
  const { tokens } = parser;
  if (!tokens.isKeyword('from', 2)) return parseArguments(parser);
  tokens.expectSymbol('(');
  const unit = tokens.expectIdentifier('a part of a date');
  tokens.expectKeyword('from');
  const date = parser.expression();
  tokens.expectSymbol(')');
  return [textLiteral(unit.text.toLowerCase(), unit), date];
}

/** { "," , expr } , ")", after a first argument */
function parseMoreArguments(parser: Parser, first: Expression): readonly Expression[] {
  const { tokens } = parser;
  const args = [first];
  let childHeight = parser.height;
  while (tokens.acceptSymbol(',')) {
    args.push(parser.expression());
    childHeight = parser.tallest(childHeight);
  }
  tokens.expectSymbol(')');
  parser.height = childHeight;
  return args;
}

/** A text as a literal, at the position of `token`. */
export function textLiteral(text: string, token: Token): Literal {
  return { kind: 'literal', type: 'string', value: text, text, span: spanOf(token, token) };
}

const WHOLE_INTERVAL = /^\s*([+-]?\d{1,15})\s+([a-z]+)\s*$/i;

/** INTERVAL , ( STRING | INT | placeholder ) , unit, or all of it as one STRING: '1 day' */
export function parseInterval(parser: Parser): Expression {
  const { tokens } = parser;
  const name = tokens.take();
  if (tokens.isSymbol('(')) return createCall(parser, name, 'INTERVAL', parseArguments(parser));
  const { kind } = tokens.peek();
  const isAmount =
    kind === 'string' || kind === 'int' || tokens.isSymbol('$') || tokens.isSymbol(':');
  if (!isAmount) throw tokens.unexpected("an amount, as in INTERVAL '3' DAY");
  const whole = kind === 'string' ? WHOLE_INTERVAL.exec(tokens.peek().text) : null;
  if (whole !== null) {
    const token = tokens.take();
    const [, count = '', word = ''] = whole;
    const parts = [textLiteral(count, token), textLiteral(word.toLowerCase(), token)];
    return createCall(parser, name, 'INTERVAL', parts);
  }
  const amount = parser.expression();
  const unit = tokens.expectIdentifier('a unit of time, such as DAY');
  return createCall(parser, name, 'INTERVAL', [amount, textLiteral(unit.text.toLowerCase(), unit)]);
}
