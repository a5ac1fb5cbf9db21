// Literals and their ranges.

import { toInteger } from '../../value/number.ts';
import {
  parseDate as readDate,
  parseTime as readTime,
  parseTimestamp as readTimestamp,
} from '../../value/temporal.ts';
import { Char, Double, Float, type Temporal, UNDEFINED, type Value } from '../../value/value.ts';
import { type Location, literalInvalid } from '../errors.ts';
import type { Literal, LiteralType } from './ast.ts';
import type { Parser } from './parser.ts';
import { type Span, spanOf } from './position.ts';
import type { NumberTokenKind } from './token.ts';
import { quoteHint, type TokenStream } from './token-stream.ts';

export const INT_MAX: bigint = 2n ** 31n - 1n;
const LONG_MAX = 2n ** 63n - 1n;
/** Any number of this many digits fits into an int. */
export const SHORT_INTEGER = 9;

/** INT | LONG | FLOAT | DOUBLE, which are the next token; `start` is the sign before or the number. */
export function parseNumberLiteral(tokens: TokenStream, start: Span): Literal {
  const token = tokens.take();
  const text = start.start === token.start ? token.text : `-${token.text}`;
  const span = spanOf(start, token);
  if (token.kind === 'int' && text.length <= SHORT_INTEGER) {
    // Adding 0 turns -0 into 0.
    return { kind: 'literal', type: 'int', value: Number(text) + 0, text, span };
  }
  const type = numberType(token.kind);
  return {
    kind: 'literal',
    type,
    value: numberValue(type, text, tokens.locate(span)),
    text,
    span,
  };
}

function numberType(kind: string): NumberTokenKind {
  return kind === 'int' || kind === 'long' || kind === 'float' ? kind : 'double';
}

/** Throws if the number is out of range for its type. */
export function numberValue(type: NumberTokenKind, text: string, at: Location): Value {
  switch (type) {
    case 'int':
      return integerValue(text, INT_MAX, 'an int, which has 32 bits', at);
    case 'long':
      return integerValue(text, LONG_MAX, 'a long, which has 64 bits', at);
    case 'float':
      return new Float(finite(Math.fround(Number(text)), text, at));
    case 'double':
      return new Double(finite(Number(text), text, at));
  }
}

function integerValue(text: string, max: bigint, range: string, at: Location): Value {
  if (text.length <= SHORT_INTEGER) return Number(text) + 0;
  const value = BigInt(text);
  if (value > max || value < -max - 1n) {
    const isLong = value <= LONG_MAX && value >= -LONG_MAX - 1n;
    const hint = isLong
      ? `A long is written with an L: ${text}L`
      : 'Pass a larger integer as a bind parameter of type bigint';
    throw literalInvalid(at, `${text} is out of range for ${range}`, hint);
  }
  return toInteger(value);
}

function finite(value: number, text: string, at: Location): number {
  if (Number.isFinite(value)) return value;
  throw literalInvalid(at, `${text} is out of range`);
}

/** TRUE | FALSE | NULL | NIL | UNDEFINED */
export function parseConstant(parser: Parser): Literal {
  const token = parser.tokens.take();
  const span = spanOf(token, token);
  switch (token.text) {
    case 'true':
    case 'false':
      return literal('boolean', token.text === 'true', token.text, span);
    case 'undefined':
      return literal('undefined', UNDEFINED, 'undefined', span);
    default:
      return literal('null', null, 'null', span);
  }
}

/** ( CHAR | DATE | TIME | TIMESTAMP ) , ( STRING | "(" , STRING , ")" ) */
export function parseTypedLiteral(parser: Parser): Literal {
  const { tokens } = parser;
  const start = tokens.take();
  const word = start.text.toUpperCase();
  const isEnclosed = tokens.acceptSymbol('(');
  if (tokens.peek().kind !== 'string') {
    const hint = isEnclosed
      ? `To convert a value, write CAST(a AS ${word.toLowerCase()})`
      : quoteHint(tokens.text.slice(start.start, start.end));
    throw tokens.unexpected(`a string after ${word}`, hint);
  }
  const { text } = tokens.take();
  if (isEnclosed) tokens.expectSymbol(')');
  const span = spanOf(start, tokens.last);
  const at = tokens.locate(span);
  switch (start.text) {
    case 'char':
      return literal('char', charValue(text, at), text, span);
    case 'date':
      return literal('date', present(readDate(text), at, `DATE 'yyyy-mm-dd'`), text, span);
    case 'time':
      return literal('time', present(readTime(text), at, `TIME 'hh:mm:ss'`), text, span);
    default: {
      const form = `TIMESTAMP 'yyyy-mm-dd hh:mm:ss.fffffffff'`;
      return literal('timestamp', present(readTimestamp(text), at, form), text, span);
    }
  }
}

function charValue(text: string, at: Location): Char {
  if (text.length === 1) return new Char(text);
  throw literalInvalid(at, `CHAR takes exactly one character, not ${text.length}`);
}

function present(value: Temporal | undefined, at: Location, form: string): Temporal {
  if (value !== undefined) return value;
  throw literalInvalid(at, `This is not a valid ${form}`);
}

function literal(type: LiteralType, value: Value, text: string, span: Span): Literal {
  return { kind: 'literal', type, value, text, span };
}
