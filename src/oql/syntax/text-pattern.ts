// Texts that differ in one literal alone. Programs that put values into query texts always send new
// texts, and parsing and binding each costs more than running a point query:
//
//     SELECT * FROM /orders o WHERE o.id = 17
//     ╰──────────────── before ────────────╯ ╰ the literal, with nothing after it
//
// Two texts with the same pattern have the same tokens except for that literal. Its kind is part of
// the pattern, and the end of a token depends on its kind and on the next character, never on its
// value. So a result of parsing one text holds for the other, unless it depends on that value.

import type { Value } from '../../value/value.ts';
import { readToken } from './lexer.ts';
import { numberValue } from './parse-literal.ts';
import type { Span } from './position.ts';
import type { Token } from './token.ts';

export interface TextPattern {
  /** Everything but the value of the literal: the text around it, its position and its kind. */
  readonly pattern: string;
  /** The span of the literal, with its sign. */
  readonly span: Span;
  readonly value: Value;
}

/** In longer texts, the search for a literal costs more than it saves. */
const LONGEST_TEXT = 1000;
const QUOTE = 0x27;
const MINUS = 0x2d;
const POINT = 0x2e;

/** The last literal of a text and the pattern around it; undefined in case of doubt. */
export function findTextPattern(text: string): TextPattern | undefined {
  if (text.length > LONGEST_TEXT) return undefined;
  const start = startOfLastLiteral(text);
  if (start === undefined) return undefined;
  try {
    const token = readToken(text, tokenBefore(start));
    const isSigned = token.kind !== 'string' && text.charCodeAt(start - 1) === MINUS;
    const span = { start: isSigned ? start - 1 : start, end: token.end };
    const value = readValue(text, token, span);
    if (value === undefined) return undefined;
    const kind = isSigned ? `-${token.kind}` : token.kind;
    // The leading number is the position of the literal: no two splits give the same pattern.
    const pattern = `${span.start} ${kind} ${text.slice(0, span.start)}${text.slice(span.end)}`;
    return { pattern, span, value };
  } catch {
    // Not a literal after all, or one out of range; parsing reports the error.
    return undefined;
  }
}

/** A token that does not change how a literal is read. */
function tokenBefore(end: number): Token {
  return { kind: 'symbol', text: '=', start: end, end };
}

function readValue(text: string, token: Token, span: Span): Value | undefined {
  switch (token.kind) {
    case 'string':
      return token.text;
    case 'int':
    case 'long':
    case 'float':
    case 'double': {
      const digits = span.start === token.start ? token.text : `-${token.text}`;
      return numberValue(token.kind, digits, { text, span });
    }
    default:
      return undefined;
  }
}

function startOfLastLiteral(text: string): number | undefined {
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return openingQuote(text, at);
    if (!isDigit(unit)) continue;
    while (at > 0 && isDigitOrPoint(text.charCodeAt(at - 1))) at -= 1;
    // Digits after a letter belong to a name, or to a number that is left to the parser.
    if (isDigit(text.charCodeAt(at)) && !isNamePart(text.charCodeAt(at - 1))) return at;
  }
  return undefined;
}

/** The quote that opens the string closed at `closing`; doubled ones are within. */
function openingQuote(text: string, closing: number): number | undefined {
  for (let at = closing - 1; at >= 0; at -= 1) {
    if (text.charCodeAt(at) !== QUOTE) continue;
    if (text.charCodeAt(at - 1) !== QUOTE) return at;
    at -= 1;
  }
  return undefined;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isDigitOrPoint(unit: number): boolean {
  return isDigit(unit) || unit === POINT;
}

/** Letters, `_`, `$`, and everything beyond ASCII; NaN, before the text, is none. */
function isNamePart(unit: number): boolean {
  const lower = unit | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || unit === 0x5f || unit === 0x24 || unit >= 0x80;
}
