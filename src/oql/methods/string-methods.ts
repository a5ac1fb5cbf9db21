// Methods of strings, as java.lang.String has them. Positions count UTF-16 code units.

import { compareText } from '../../value/compare.ts';
import { foldCase, MAX_TEXT_LENGTH } from '../../value/computed-text.ts';
import { trimLikeJava } from '../../value/java-trim.ts';
import { printAmount } from '../../value/print-amount.ts';
import { Char, type Value } from '../../value/value.ts';
import {
  MethodFailure,
  type MethodTable,
  methodTable,
  overload,
  preparedOverload,
  TOO_LONG,
} from './overload.ts';
import { matchesWhole, replacePattern, splitText } from './regex/replace-text.ts';

export const STRING_METHODS: MethodTable = methodTable<string>({
  length: (text) => text.length,
  isEmpty: (text) => text === '',
  isBlank: (text) => stripStart(text) === '',
  charAt: overload(['integer'], (text, at) => outOfRange(text, at) ?? new Char(text.charAt(at))),
  contains: overload(['text'], (text, part) => text.includes(part)),
  contentEquals: overload(['text'], (text, other) => text === other),
  startsWith: [
    overload(['text'], (text, prefix) => text.startsWith(prefix)),
    overload(['text', 'integer'], (text, prefix, at) => at >= 0 && text.startsWith(prefix, at)),
  ],
  endsWith: overload(['text'], (text, suffix) => text.endsWith(suffix)),
  indexOf: [
    overload(['text'], (text, part) => text.indexOf(part)),
    overload(['text', 'integer'], (text, part, from) => text.indexOf(part, from)),
  ],
  lastIndexOf: [
    overload(['text'], (text, part) => text.lastIndexOf(part)),
    overload(['text', 'integer'], (text, part, from) =>
      from < 0 ? -1 : text.lastIndexOf(part, from),
    ),
  ],
  hashCode,

  compareTo: overload(['text'], compareText),
  equalsIgnoreCase: overload(['text'], (text, other) => foldCase(text) === foldCase(other)),
  compareToIgnoreCase: overload(['text'], (text, other) =>
    compareText(foldCase(text), foldCase(other)),
  ),
  regionMatches: [
    overload(['integer', 'text', 'integer', 'integer'], (text, at, other, otherAt, length) =>
      isSameRegion({ text, at, other, otherAt, length }),
    ),
    overload(
      ['boolean', 'integer', 'text', 'integer', 'integer'],
      (text, ignoreCase, at, other, otherAt, length) =>
        ignoreCase
          ? isSameRegion({ text: foldCase(text), at, other: foldCase(other), otherAt, length })
          : isSameRegion({ text, at, other, otherAt, length }),
    ),
  ],

  intern: (text) => text,
  toUpperCase: (text) => text.toUpperCase(),
  toLowerCase: (text) => text.toLowerCase(),
  trim: trimLikeJava,
  toCharArray: (text) => text.split('').map((unit) => new Char(unit)),
  concat: overload(['text'], concat),
  substring: [
    overload(['integer'], (text, begin) => substring(text, begin, text.length)),
    overload(['integer', 'integer'], substring),
  ],
  replace: overload(['text', 'text'], replaceLiterally),
  replaceAll: preparedOverload(['text', 'text'], (pattern, replacement) =>
    replacePattern(pattern, replacement, 'all'),
  ),
  replaceFirst: preparedOverload(['text', 'text'], (pattern, replacement) =>
    replacePattern(pattern, replacement, 'first'),
  ),
  matches: preparedOverload(['text'], matchesWhole),
  split: [
    preparedOverload(['text'], (pattern) => splitText(pattern, 0)),
    preparedOverload(['text', 'integer'], splitText),
  ],
  repeat: overload(['integer'], repeat),
  strip: (text) => stripEnd(stripStart(text)),
  stripLeading: stripStart,
  stripTrailing: stripEnd,
  subSequence: overload(['integer', 'integer'], substring),
  getBytes: [overload([], (text) => bytesOf(text, 'UTF-8')), overload(['text'], bytesOf)],

  codePointAt: overload(
    ['integer'],
    (text, at) => outOfRange(text, at) ?? text.codePointAt(at) ?? 0,
  ),
  codePointBefore: overload(['integer'], codePointBefore),
  codePointCount: overload(['integer', 'integer'], (text, begin, end) => {
    const part = substring(text, begin, end);
    return part instanceof MethodFailure ? part : Array.from(part).length;
  }),
  offsetByCodePoints: overload(['integer', 'integer'], offsetByCodePoints),
});

/** The failure for a position without a character; undefined if it has one. */
function outOfRange(text: string, at: number): MethodFailure | undefined {
  if (at >= 0 && at < text.length) return undefined;
  return new MethodFailure(`there is no character ${at} in a text of ${text.length}`);
}

function substring(text: string, begin: number, end: number): string | MethodFailure {
  if (begin >= 0 && begin <= end && end <= text.length) return text.slice(begin, end);
  return new MethodFailure(`there is no range ${begin} to ${end} in a text of ${text.length}`);
}

function concat(text: string, other: string): string | MethodFailure {
  return text.length + other.length > MAX_TEXT_LENGTH ? TOO_LONG : text + other;
}

function replaceLiterally(text: string, part: string, other: string): string | MethodFailure {
  const pieces = text.split(part);
  // An empty part matches around every code unit, the two ends included.
  const matches = part === '' ? text.length + 1 : pieces.length - 1;
  if (text.length + matches * other.length > MAX_TEXT_LENGTH) {
    return TOO_LONG;
  }
  return part === ''
    ? `${other}${pieces.map((unit) => unit + other).join('')}`
    : pieces.join(other);
}

function hashCode(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1)
    hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}

interface TextRegions {
  readonly text: string;
  readonly at: number;
  readonly other: string;
  readonly otherAt: number;
  readonly length: number;
}

function isSameRegion({ text, at, other, otherAt, length }: TextRegions): boolean {
  if (at < 0 || otherAt < 0) return false;
  if (at + length > text.length || otherAt + length > other.length) return false;
  return text.substring(at, at + length) === other.substring(otherAt, otherAt + length);
}

function repeat(text: string, times: number): string | MethodFailure {
  if (times < 0) return new MethodFailure(`a text cannot be repeated ${times} times`);
  return text.length * times > MAX_TEXT_LENGTH ? TOO_LONG : text.repeat(times);
}

/** Java's white space: separators of Unicode but for the no-break ones, and some control codes. */
const WHITE_SPACE =
  '[\\t-\\r\\u001c-\\u001f\\u0020\\u1680\\u2000-\\u2006\\u2008-\\u200a\\u2028\\u2029\\u205f\\u3000]';
const LEADING = new RegExp(`^${WHITE_SPACE}+`);
const WHITE_UNIT = new RegExp(WHITE_SPACE);

function stripStart(text: string): string {
  return text.replace(LEADING, '');
}

/** Without a pattern, because one anchored at the end would try every inner run of blanks. */
function stripEnd(text: string): string {
  let end = text.length;
  while (end > 0 && WHITE_UNIT.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function codePointBefore(text: string, at: number): number | MethodFailure {
  if (at < 1 || at > text.length) {
    return new MethodFailure(`there is no character before ${at} in a text of ${text.length}`);
  }
  // A code point has two units at most.
  return (
    Array.from(text.slice(Math.max(0, at - 2), at))
      .at(-1)
      ?.codePointAt(0) ?? 0
  );
}

function offsetByCodePoints(text: string, at: number, points: number): number | MethodFailure {
  if (at < 0 || at > text.length) return beyondEnds(points, at);
  const codePoints =
    points < 0 ? Array.from(text.slice(0, at)).reverse() : Array.from(text.slice(at));
  const count = Math.abs(points);
  if (count > codePoints.length) return beyondEnds(points, at);
  const units = codePoints.slice(0, count).join('').length;
  return points < 0 ? at - units : at + units;
}

function beyondEnds(points: number, at: number): MethodFailure {
  return new MethodFailure(`${printAmount(points, 'character')} from ${at} is beyond the text`);
}

const QUESTION_MARK = 0x3f;

/** Signed bytes, as in Java. */
function bytesOf(text: string, charset: string): Value | MethodFailure {
  switch (charset.toUpperCase()) {
    case 'UTF-8':
    case 'UTF8':
      return utf8Of(text);
    case 'US-ASCII':
    case 'ASCII':
      return codesOf(text, 0x7f);
    case 'ISO-8859-1':
    case 'LATIN1':
      return codesOf(text, 0xff);
    default:
      return new MethodFailure('the character sets known are UTF-8, US-ASCII and ISO-8859-1');
  }
}

function utf8Of(text: string): Value {
  return Array.from(new TextEncoder().encode(text), toSignedByte);
}

function toSignedByte(byte: number): number {
  return (byte << 24) >> 24;
}

/** A character outside of the charset becomes a question mark. */
function codesOf(text: string, highest: number): Value {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return toSignedByte(code > highest ? QUESTION_MARK : code);
  });
}
