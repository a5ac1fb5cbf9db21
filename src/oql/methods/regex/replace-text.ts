// String methods with regular expressions: matches, replaceAll, replaceFirst, split, by Java's
// rules. Each function compiles a pattern and returns a function of the text.

import { MAX_TEXT_LENGTH } from '../../../value/computed-text.ts';
import { MethodFailure, TOO_LONG } from '../overload.ts';
import { compileRegex, createStepBudget, type Regex, type RegexMatch } from './regex.ts';

type OfText<Result> = (text: string) => Result | MethodFailure;

export function matchesWhole(pattern: string): OfText<boolean> {
  const regex = compileRegex(pattern);
  if (regex instanceof MethodFailure) return () => regex;
  return (text) => regex.matches(text);
}

/** In the replacement `$1` is a group and a backslash escapes the next character. */
export function replacePattern(
  pattern: string,
  replacement: string,
  extent: 'first' | 'all',
): OfText<string> {
  const regex = compileRegex(pattern);
  if (regex instanceof MethodFailure) return () => regex;
  const pieces = parseReplacement(replacement, regex.groupCount);
  if (pieces === undefined) return () => new MethodFailure('the replacement is not valid');
  const maxMatches = extent === 'first' ? 1 : Number.POSITIVE_INFINITY;
  return (text) => {
    const matches = findMatches(regex, text, maxMatches);
    return matches instanceof MethodFailure ? matches : replaceMatches(text, matches, pieces);
  };
}

function replaceMatches(
  text: string,
  matches: readonly RegexMatch[],
  pieces: readonly (string | number)[],
): string | MethodFailure {
  let result = '';
  let end = 0;
  for (const match of matches) {
    result +=
      text.slice(end, match[0]) + pieces.map((piece) => expand(piece, match, text)).join('');
    if (result.length > MAX_TEXT_LENGTH) return TOO_LONG;
    end = match[1] ?? end;
  }
  return result + text.slice(end);
}

/** A limit of 0 drops empty pieces at the end, a negative one keeps all of them. */
export function splitText(pattern: string, limit: number): OfText<readonly string[]> {
  const regex = compileRegex(pattern);
  if (regex instanceof MethodFailure) return () => regex;
  // One more than there are splits, because an empty match at the beginning does not split.
  const maxMatches = limit > 0 ? limit : Number.POSITIVE_INFINITY;
  return (text) => {
    const matches = findMatches(regex, text, maxMatches);
    return matches instanceof MethodFailure ? matches : splitAt(text, matches, limit);
  };
}

function splitAt(text: string, matches: readonly RegexMatch[], limit: number): readonly string[] {
  const pieces: string[] = [];
  let end = 0;
  for (const [start = 0, matchEnd = 0] of matches) {
    // An empty match at the beginning does not split.
    if (matchEnd === 0) continue;
    if (limit > 0 && pieces.length === limit - 1) break;
    pieces.push(text.slice(end, start));
    end = matchEnd;
  }
  pieces.push(text.slice(end));
  if (limit === 0) while (pieces.length > 1 && pieces.at(-1) === '') pieces.pop();
  return pieces;
}

function findMatches(
  regex: Regex,
  text: string,
  maxMatches: number,
): readonly RegexMatch[] | MethodFailure {
  const matches: RegexMatch[] = [];
  const budget = createStepBudget();
  for (let from = 0; from <= text.length && matches.length < maxMatches; ) {
    const match = regex.find(text, from, budget);
    if (match instanceof MethodFailure) return match;
    if (match === undefined) break;
    matches.push(match);
    const [start = 0, end = 0] = match;
    // After an empty match the search continues one character later.
    from = end > start ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
  }
  return matches;
}

/** Text as it is, or the number of a group; undefined for a reference to no group. */
function parseReplacement(
  replacement: string,
  groupCount: number,
): readonly (string | number)[] | undefined {
  const pieces: (string | number)[] = [];
  for (let at = 0; at < replacement.length; at += 1) {
    const character = replacement.charAt(at);
    if (character !== '\\' && character !== '$') {
      pieces.push(character);
      continue;
    }
    at += 1;
    const next = replacement.charAt(at);
    if (next === '') return undefined;
    if (character === '\\') {
      pieces.push(next);
    } else {
      const group = /\d/.test(next) ? Number(next) : Number.NaN;
      if (!(group <= groupCount)) return undefined;
      pieces.push(group);
    }
  }
  return pieces;
}

function expand(piece: string | number, match: RegexMatch, text: string): string {
  if (typeof piece === 'string') return piece;
  const start = match[piece * 2];
  return start === undefined ? '' : text.slice(start, match[piece * 2 + 1]);
}
