// Splits text into tokens, one at a time. The only state is the previous token: it determines
// whether a slash divides or starts a region path, and whether a reserved word is a plain member
// name.

import { literalInvalid, notSupported, type OqlError, syntaxError } from '../errors.ts';
import { SEGMENT } from './region-path.ts';
import {
  canEndOperand,
  type NumberTokenKind,
  type RegionPathToken,
  reservedWord,
  type Token,
  type WordToken,
  type WordTokenKind,
} from './token.ts';

/**
 * Reads the token that follows `previous`; at the end of the text an empty one of kind `end`.
 *
 * The first text of a process runs in V8's interpreter, where each call counts: the class of a code
 * unit is looked up in a table, so that a name or a sign takes two calls at most.
 */
export function readToken(text: string, previous: Token | undefined): Token {
  let start = previous === undefined ? 0 : previous.end;
  let first = UNIT_CLASSES[text.charCodeAt(start) | 0];
  if (first === BLANK || first === COMMENT) {
    start = skipBlanks(text, start);
    first = UNIT_CLASSES[text.charCodeAt(start) | 0];
  }
  if (first === SINGLE) {
    return { kind: 'symbol', text: text.charAt(start), start, end: start + 1 };
  }
  if (first === LETTER) return readWord(text, start, previous);
  if (first === DIGIT) return readDigits(text, start, previous);
  return readOther(text, start, previous);
}

function readOther(text: string, start: number, previous: Token | undefined): Token {
  if (start >= text.length) return { kind: 'end', text: '', start, end: start };
  const first = text.charAt(start);
  if (first === "'") return readString(text, start);
  if (first === '"') return readQuotedIdentifier(text, start);
  if (first === '/') return readSlash(text, start, previous);
  const word = text.charCodeAt(start) < 0x80 ? undefined : matchAt(WORD, text, start);
  return word === undefined ? readSymbol(text, start) : createWord(word, start, previous);
}

/**
 * Reads a region path whose slash was first taken for a division: only the parser knows that an
 * operand begins after a cast or after THEN.
 */
export function readRegionPath(text: string, start: number): RegionPathToken {
  return text.charAt(start + 1) === "'"
    ? readQuotedRegionPath(text, start)
    : readPlainRegionPath(text, start);
}

function errorAt(text: string, start: number, reason: string, hint?: string): OqlError {
  return syntaxError({ text, span: { start, end: start + 1 } }, reason, hint);
}

/**
 * The classes of code units at the beginning of a token; letters and digits also continue words.
 */
const BLANK = 1;
/** A hyphen or a slash: a comment may begin with it. */
const COMMENT = 2;
/** A sign that is always a complete symbol. */
const SINGLE = 3;
/** A dollar sign, or not ASCII: only patterns decide whether it continues a word. */
const UNSURE = 4;
const DIGIT = 5;
/** An ASCII letter, or an underscore. */
const LETTER = 6;

/** By code unit. At the end of a text it is NaN, which `| 0` turns into 0. */
const UNIT_CLASSES: Uint8Array = new Uint8Array(0x10000).fill(UNSURE, 0x80);
for (const [members, unitClass] of [
  [' \t\n\f\r', BLANK],
  ['-/', COMMENT],
  [',().[]+*%:;', SINGLE],
  ['$', UNSURE],
  ['0123456789', DIGIT],
  ['_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', LETTER],
] as const) {
  for (const member of members) UNIT_CLASSES[member.charCodeAt(0)] = unitClass;
}

/** Signs that cannot continue the operand before them. */
const ENDS: Uint8Array = new Uint8Array(0x10000);
for (const sign of ',)]+*%=<>;') ENDS[sign.charCodeAt(0)] = 1;

/** Whether the sign there ends an operand. */
export function isEndOfOperand(text: string, at: number): boolean {
  return ENDS[text.charCodeAt(at) | 0] === 1;
}

/** Whether the sign there is always a complete symbol. */
export function isSingleSymbol(text: string, at: number): boolean {
  return UNIT_CLASSES[text.charCodeAt(at) | 0] === SINGLE;
}

/** Skips white space and comments: `-- …` to the end of the line and `/* … *` `/`, not nested. */
function skipBlanks(text: string, from: number): number {
  let at = from;
  for (;;) {
    while (UNIT_CLASSES[text.charCodeAt(at) | 0] === BLANK) at++;
    if (UNIT_CLASSES[text.charCodeAt(at) | 0] !== COMMENT) return at;
    if (text.startsWith('--', at)) {
      at = endOfLineComment(text, at);
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      if (end < 0) throw errorAt(text, at, 'This comment is never closed', 'Close it with */');
      at = end + 2;
    } else {
      return at;
    }
  }
}

function endOfLineComment(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charAt(at) !== '\n' && text.charAt(at) !== '\r') at++;
  return at;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** `'…'`, in which a doubled quote is one quote; there are no other escapes. */
function readString(text: string, start: number): WordToken {
  const end = endOfString(text, start);
  const content = text.slice(start + 1, end - 1).replaceAll("''", "'");
  return { kind: 'string', text: content, start, end };
}

/** The offset after the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf("'", at);
    if (quote < 0) throw errorAt(text, start, 'This string is never closed', "Close it with '");
    if (text.charAt(quote + 1) !== "'") return quote + 1;
    at = quote + 2;
  }
}

/**
 * `"…"` with any characters but the quote itself, so that every other member name can be written.
 */
function readQuotedIdentifier(text: string, start: number): WordToken {
  const quote = text.indexOf('"', start + 1);
  if (quote < 0) {
    const hint = 'Double quotes enclose names; strings are written in single quotes';
    throw errorAt(text, start, 'This quoted name is never closed', hint);
  }
  if (quote === start + 1) throw errorAt(text, start, 'A quoted name must not be empty');
  return {
    kind: 'quoted-identifier',
    text: text.slice(start + 1, quote),
    start,
    end: quote + 1,
  };
}

const DIGITS = /[0-9]+/y;
const NUMBER = /[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?/y;
/** A letter belongs to the number only if no word starts with it: `5and` is `5 and`. */
const SUFFIX = /[lLfFdD](?![\p{L}\p{N}_])/uy;

/** After a dollar sign a number ends with its digits: `$1.id` is a member of the parameter. */
function readDigits(text: string, start: number, previous: Token | undefined): WordToken {
  if (previous?.kind !== 'symbol' || previous.text !== '$') return readNumber(text, start);
  return wordToken('int', matchAt(DIGITS, text, start) ?? '', start);
}

/** `12`, `12L`, `1.`, `1.5e3`, `5d`, `2.5f`. There is no form that starts with a point. */
function readNumber(text: string, start: number): WordToken {
  let end = start + 1;
  while (UNIT_CLASSES[text.charCodeAt(end) | 0] === DIGIT) end++;
  const next = UNIT_CLASSES[text.charCodeAt(end) | 0];
  // Only the patterns can decide where the number ends.
  if (next === LETTER || next === UNSURE || text.charCodeAt(end) === POINT) {
    return readNumberByPattern(text, start);
  }
  const digits = text.slice(start, end);
  if (text.charCodeAt(start) === ZERO) requireNoOctalSlip(text, start, digits);
  return { kind: 'int', text: digits, start, end };
}

const POINT = 0x2e;
const ZERO = 0x30;

/** A number that may have a fraction, an exponent or a suffix. */
function readNumberByPattern(text: string, start: number): WordToken {
  if (text.charAt(start + 1) === 'x' || text.charAt(start + 1) === 'X') {
    throw notSupported({ text, span: { start, end: start + 2 } }, 'A hexadecimal integer');
  }
  const number = matchAt(NUMBER, text, start) ?? '';
  const end = start + number.length;
  const suffix = matchAt(SUFFIX, text, end)?.toLowerCase() ?? '';
  const isWhole = !/[.eE]/u.test(number);
  if (suffix === 'l' && !isWhole) throw errorAt(text, end, 'A long cannot have a fraction');
  const kind = numberKind(isWhole, suffix);
  if (kind === 'int' || kind === 'long') requireNoOctalSlip(text, start, number);
  return { kind, text: number, start, end: end + suffix.length };
}

function numberKind(isWhole: boolean, suffix: string): NumberTokenKind {
  if (suffix === 'l') return 'long';
  if (suffix === 'f') return 'float';
  return isWhole && suffix === '' ? 'int' : 'double';
}

/** `010` is ten, but `08` is refused, as in Geode. */
function requireNoOctalSlip(text: string, start: number, digits: string): void {
  if (digits.length > 1 && digits.startsWith('0') && /[89]/u.test(digits)) {
    const location = { text, span: { start, end: start + digits.length } };
    throw literalInvalid(
      location,
      `An integer with a leading zero may hold only the digits 0 to 7`,
    );
  }
}

/**
 * After an operand a slash divides; elsewhere it starts a region path. This cannot be ambiguous
 * for `a/b`, since nothing but a cast puts a region path right after an operand.
 */
function readSlash(text: string, start: number, previous: Token | undefined): Token {
  if (previous !== undefined && canEndOperand(previous)) {
    return { kind: 'symbol', text: '/', start, end: start + 1 };
  }
  return readRegionPath(text, start);
}

const NEXT_SEGMENT = new RegExp(SEGMENT, 'y');

/** `/root/sub`: a slash belongs to the path if a name follows at once. */
function readPlainRegionPath(text: string, start: number): RegionPathToken {
  let end = start + 1;
  let next = UNIT_CLASSES[text.charCodeAt(end) | 0];
  while (next === LETTER || next === DIGIT) next = UNIT_CLASSES[text.charCodeAt(++end) | 0];
  // At the end of the text the sign is empty, which `includes` accepts.
  const isOneName = end > start + 1 && (next === BLANK || '.,)'.includes(text.charAt(end)));
  if (!isOneName) return readSegments(text, start);
  const segments = [text.slice(start + 1, end)];
  return { kind: 'region-path', text: text.slice(start, end), segments, start, end };
}

function readSegments(text: string, start: number): RegionPathToken {
  const segments: string[] = [];
  let at = start;
  while (text.charAt(at) === '/') {
    const segment = matchAt(NEXT_SEGMENT, text, at + 1);
    if (segment === undefined) break;
    segments.push(segment);
    at += segment.length + 1;
  }
  return regionPath(text, start, at, segments);
}

/** `/'any text'/'sub'` */
function readQuotedRegionPath(text: string, start: number): RegionPathToken {
  const segments: string[] = [];
  let at = start;
  while (text.startsWith("/'", at)) {
    const segment = readString(text, at + 1);
    if (segment.text === '') throw errorAt(text, at, 'A region name must not be empty');
    segments.push(segment.text);
    at = segment.end;
  }
  return regionPath(text, start, at, segments);
}

function regionPath(
  text: string,
  start: number,
  end: number,
  segments: readonly string[],
): RegionPathToken {
  if (segments.length === 0) {
    const hint = 'Write the name directly after the slash: /orders';
    throw errorAt(text, start, 'A region path needs a name', hint);
  }
  return { kind: 'region-path', text: text.slice(start, end), segments, start, end };
}

/** A dollar sign belongs to a word only inside it: `Map$Entry`. */
const WORD = /[\p{L}_](?:[\p{L}\p{M}\p{Nd}_]|\$(?=[\p{L}\p{Nd}_]))*/uy;

/** A word that begins with an ASCII letter or `_`. */
function readWord(text: string, start: number, previous: Token | undefined): WordToken {
  let end = start + 1;
  while (UNIT_CLASSES[text.charCodeAt(end) | 0] === LETTER) end++;
  let next = UNIT_CLASSES[text.charCodeAt(end) | 0];
  const hasDigits = next === DIGIT;
  while (next === DIGIT || next === LETTER) next = UNIT_CLASSES[text.charCodeAt(++end) | 0];
  if (next === UNSURE) return createWord(matchAt(WORD, text, start) ?? '', start, previous);
  const word = text.slice(start, end);
  // No reserved word is one letter, or has digits.
  return hasDigits || end === start + 1
    ? { kind: 'identifier', text: word, start, end }
    : createWord(word, start, previous);
}

/** After a dot only a member name is possible, so `o.type` needs no quotes. */
function createWord(word: string, start: number, previous: Token | undefined): WordToken {
  const end = start + word.length;
  const reserved = reservedWord(word);
  return reserved === undefined || (previous !== undefined && isDot(previous))
    ? { kind: 'identifier', text: word, start, end }
    : { kind: 'keyword', text: reserved, start, end };
}

function isDot(token: Token): boolean {
  return token.kind === 'symbol' && (token.text === '.' || token.text === '->');
}

function readSymbol(text: string, start: number): WordToken {
  const symbol = symbolAt(text, start);
  if (symbol === undefined) throw unexpectedSign(text, start);
  return wordToken('symbol', symbol, start);
}

/** First signs of two-sign symbols, with the possible second signs. */
const SECOND_SIGNS: ReadonlyMap<string, string> = new Map([
  ['<', '>='],
  ['>', '='],
  ['-', '>'],
  ['!', '='],
  ['|', '|'],
]);

/** The longest symbol there, if the sign is not a complete symbol. */
function symbolAt(text: string, start: number): string | undefined {
  const first = text.charAt(start);
  if (first === '$') return first;
  const second = text.charAt(start + 1);
  if (first === '=') return second === '=' ? undefined : first;
  const secondSigns = SECOND_SIGNS.get(first);
  if (secondSigns === undefined) return undefined;
  if (second !== '' && secondSigns.includes(second)) return first + second;
  return first === '!' || first === '|' ? undefined : first;
}

/** Operators of other languages would otherwise fail with a less helpful message. */
function unexpectedSign(text: string, start: number): OqlError {
  const location = { text, span: { start, end: start + 2 } };
  if (text.startsWith('==', start)) {
    return syntaxError(
      location,
      '== is not an operator',
      'Equality is written with one sign: a = b',
    );
  }
  if (text.startsWith('&&', start)) {
    return syntaxError(
      location,
      '&& is not an operator',
      'Write AND between conditions: a = 1 AND b = 2',
    );
  }
  if (text.charAt(start) === '!') {
    return errorAt(text, start, '! is not an operator', 'Write NOT before a condition: NOT a');
  }
  return unexpectedCharacter(text, start);
}

/** Word processors replace quotes by these. */
const CURLY_QUOTES = '‘’“”';
const CURLY_QUOTES_HINT = "Strings are written in straight single quotes: 'text'";

function unexpectedCharacter(text: string, start: number): OqlError {
  const codePoint = text.codePointAt(start) ?? 0;
  const code = `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
  const isVisible = /[\p{P}\p{S}]/u.test(String.fromCodePoint(codePoint));
  const name = isVisible ? `'${String.fromCodePoint(codePoint)}' (${code})` : code;
  const hint = CURLY_QUOTES.includes(name.charAt(1)) ? CURLY_QUOTES_HINT : undefined;
  return errorAt(text, start, `Unexpected character ${name}`, hint);
}

function wordToken(kind: WordTokenKind, text: string, start: number): WordToken {
  return { kind, text, start, end: start + text.length };
}
