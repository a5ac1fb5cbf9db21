// Methods of strings, as java.lang.String has them. Positions count UTF-16 code units.

import { compareText } from '../../value/compare.ts';
import { Char, type Value } from '../../value/value.ts';
import { attribute, MethodFailure, type MethodTable, type Overload, overload } from './overload.ts';
import {
  matchesWhole,
  type RegexOutcome,
  replacePattern,
  splitText,
} from './regex/replace-text.ts';

/** The longest text a method may produce, in code units. */
const MAX_TEXT_LENGTH = 16 * 1024 * 1024;

const searching: readonly [string, readonly Overload<string>[]][] = [
  ['length', attribute((text) => text.length)],
  ['isEmpty', attribute((text) => text === '')],
  ['charAt', [overload(['integer'], (text, at) => within(text, at) ?? new Char(text.charAt(at)))]],
  [
    'codePointAt',
    [overload(['integer'], (text, at) => within(text, at) ?? text.codePointAt(at) ?? 0)],
  ],
  ['contains', [overload(['text'], (text, part) => text.includes(part))]],
  ['contentEquals', [overload(['text'], (text, other) => text === other)]],
  [
    'startsWith',
    [
      overload(['text'], (text, prefix) => text.startsWith(prefix)),
      overload(['text', 'integer'], (text, prefix, at) => at >= 0 && text.startsWith(prefix, at)),
    ],
  ],
  ['endsWith', [overload(['text'], (text, suffix) => text.endsWith(suffix))]],
  [
    'indexOf',
    [
      overload(['text'], (text, part) => text.indexOf(part)),
      overload(['text', 'integer'], (text, part, from) => text.indexOf(part, from)),
    ],
  ],
  [
    'lastIndexOf',
    [
      overload(['text'], (text, part) => text.lastIndexOf(part)),
      overload(['text', 'integer'], (text, part, from) =>
        from < 0 ? -1 : text.lastIndexOf(part, from),
      ),
    ],
  ],
  ['hashCode', attribute(hashCode)],
];

const comparing: readonly [string, readonly Overload<string>[]][] = [
  ['compareTo', [overload(['text'], (text, other) => compareText(text, other))]],
  ['equalsIgnoreCase', [overload(['text'], (text, other) => fold(text) === fold(other))]],
  [
    'compareToIgnoreCase',
    [overload(['text'], (text, other) => compareText(fold(text), fold(other)))],
  ],
  [
    'regionMatches',
    [
      overload(['integer', 'text', 'integer', 'integer'], (text, at, other, otherAt, length) =>
        isSameRegion({ text, at, other, otherAt, length }),
      ),
      overload(
        ['boolean', 'integer', 'text', 'integer', 'integer'],
        (text, ignoreCase, at, other, otherAt, length) =>
          ignoreCase
            ? isSameRegion({ text: fold(text), at, other: fold(other), otherAt, length })
            : isSameRegion({ text, at, other, otherAt, length }),
      ),
    ],
  ],
];

const making: readonly [string, readonly Overload<string>[]][] = [
  ['intern', attribute((text) => text)],
  ['toUpperCase', attribute((text) => text.toUpperCase())],
  ['toLowerCase', attribute((text) => text.toLowerCase())],
  ['trim', attribute(trim)],
  ['toCharArray', attribute((text) => text.split('').map((unit) => new Char(unit)))],
  ['concat', [overload(['text'], concat)]],
  [
    'substring',
    [
      overload(['integer'], (text, begin) => substring(text, begin, text.length)),
      overload(['integer', 'integer'], substring),
    ],
  ],
  ['replace', [overload(['text', 'text'], replaceLiterally)]],
  [
    'replaceAll',
    [
      overload(['text', 'text'], (text, pattern, replacement) =>
        toValue(replacePattern(text, pattern, replacement, 'all')),
      ),
    ],
  ],
  [
    'replaceFirst',
    [
      overload(['text', 'text'], (text, pattern, replacement) =>
        toValue(replacePattern(text, pattern, replacement, 'first')),
      ),
    ],
  ],
  ['matches', [overload(['text'], (text, pattern) => toValue(matchesWhole(text, pattern)))]],
  [
    'split',
    [
      overload(['text'], (text, pattern) => toValue(splitText(text, pattern, 0))),
      overload(['text', 'integer'], (text, pattern, limit) =>
        toValue(splitText(text, pattern, limit)),
      ),
    ],
  ],
];

export const STRING_METHODS: MethodTable<string> = new Map([...searching, ...comparing, ...making]);

function within(text: string, at: number): MethodFailure | undefined {
  if (at >= 0 && at < text.length) return undefined;
  return new MethodFailure(`there is no character ${at} in a text of ${text.length}`);
}

function substring(text: string, begin: number, end: number): string | MethodFailure {
  if (begin >= 0 && begin <= end && end <= text.length) return text.slice(begin, end);
  return new MethodFailure(`there is no range ${begin} to ${end} in a text of ${text.length}`);
}

function concat(text: string, other: string): string | MethodFailure {
  return text.length + other.length > MAX_TEXT_LENGTH
    ? new MethodFailure('the result is too long')
    : text + other;
}

function replaceLiterally(text: string, part: string, other: string): string | MethodFailure {
  const pieces = text.split(part);
  // An empty part matches around every code unit, the two ends included.
  const matches = part === '' ? text.length + 1 : pieces.length - 1;
  if (text.length + matches * other.length > MAX_TEXT_LENGTH) {
    return new MethodFailure('the result is too long');
  }
  return part === ''
    ? `${other}${pieces.map((unit) => unit + other).join('')}`
    : pieces.join(other);
}

/** Java's trim takes off everything up to U+0020, and nothing above. */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 0x20) start += 1;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end -= 1;
  return text.slice(start, end);
}

function fold(text: string): string {
  return text.toUpperCase().toLowerCase();
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

function toValue(outcome: RegexOutcome<Value>): Value | MethodFailure {
  return outcome.kind === 'result' ? outcome.result : new MethodFailure(outcome.reason);
}
