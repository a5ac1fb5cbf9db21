// LIKE without regular expressions. A pattern is cut at its `%` into pieces: the first must begin
// the text, the last must end it, and each piece between them is matched at its earliest position,
// which never prevents a later match. Finding a piece takes time by the length of the text (times a
// 32nd of the piece if it holds `_`), so no pattern costs much more than a scan.

import { ANY_ONE, ANY_RUN, parseLike, toCodePoints } from '../../value/like-pattern.ts';

/** Whether a whole text matches the pattern the matcher was compiled from. */
export type LikeMatcher = (text: string) => boolean;

/** A run of code points, or ANY_ONE for any of them. */
type PatternPiece = readonly number[];

export function compileLike(pattern: string): LikeMatcher {
  const [first = [], ...others] = parsePieces(pattern);
  const last = others.pop();
  const isPlain = [first, ...others, last ?? []].every((piece) => !piece.includes(ANY_ONE));
  if (isPlain) return compilePlain(toText(first), others.map(toText), last && toText(last));
  const finders = others.map(createFinder);
  return (text) => matches(toCodePoints(text), first, finders, last);
}

/** Maximum length of a piece with `_` that may be searched, in characters. */
export const LONGEST_SEARCHED = 1024;

/** Whether a piece with `_` between two `%` is too long to be searched in bounded time. */
export function isTooLongToSearch(pattern: string): boolean {
  if (pattern.length <= LONGEST_SEARCHED) return false;
  const [, ...others] = parsePieces(pattern);
  return others
    .slice(0, -1)
    .some((piece) => piece.length > LONGEST_SEARCHED && piece.includes(ANY_ONE));
}

/** Whether all pieces are so short that they may be tried at every position of a text. */
export function hasShortPieces(pattern: string): boolean {
  return (
    pattern.length <= SHORT_PIECE ||
    parsePieces(pattern).every(({ length }) => length <= SHORT_PIECE)
  );
}

/** One piece more than there are runs of `%`. */
function parsePieces(pattern: string): PatternPiece[] {
  const pieces: number[][] = [[]];
  for (const element of parseLike(pattern)) {
    if (element === ANY_RUN) pieces.push([]);
    else pieces.at(-1)?.push(element);
  }
  return pieces;
}

function toText(piece: PatternPiece): string {
  return piece.map((character) => String.fromCodePoint(character)).join('');
}

/** Without `_` the text need not be split into code points. */
function compilePlain(
  first: string,
  middle: readonly string[],
  last: string | undefined,
): LikeMatcher {
  if (last === undefined) return (text) => text === first;
  const finders = middle.map(createTextFinder);
  const shortest = first.length + last.length;
  return (text) => {
    if (text.length < shortest || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    const end = text.length - last.length;
    for (const find of finders) {
      at = find(text, at);
      if (at < 0 || at > end) return false;
    }
    return true;
  };
}

/** Searches a piece from an offset on; returns the offset after it, or -1. */
type Find<Text> = (text: Text, from: number) => number;

/** A piece this short is tried at every position. */
const SHORT_PIECE = 16;

function createTextFinder(piece: string): Find<string> {
  if (piece.length <= SHORT_PIECE) {
    return (text, from) => {
      const at = text.indexOf(piece, from);
      return at < 0 ? -1 : at + piece.length;
    };
  }
  // Knuth, Morris and Pratt: the length of the prefix that still matches after a mismatch.
  const borders = new Int32Array(piece.length);
  for (let at = 1, matched = 0; at < piece.length; at += 1) {
    const unit = piece.charCodeAt(at);
    while (matched > 0 && unit !== piece.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (unit === piece.charCodeAt(matched)) matched += 1;
    borders[at] = matched;
  }
  return (text, from) => {
    let matched = 0;
    for (let at = from; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      while (matched > 0 && unit !== piece.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
      if (unit === piece.charCodeAt(matched)) matched += 1;
      if (matched === piece.length) return at + 1;
    }
    return -1;
  };
}

function matches(
  text: Int32Array,
  first: PatternPiece,
  finders: readonly Find<Int32Array>[],
  last: PatternPiece | undefined,
): boolean {
  if (last === undefined) return text.length === first.length && fits(text, 0, first);
  const end = text.length - last.length;
  if (end < first.length || !fits(text, 0, first) || !fits(text, end, last)) return false;
  let at = first.length;
  for (const find of finders) {
    at = find(text, at);
    if (at < 0 || at > end) return false;
  }
  return true;
}

function fits(text: Int32Array, start: number, piece: PatternPiece): boolean {
  for (let at = 0; at < piece.length; at += 1) {
    const expected = piece[at];
    if (expected !== ANY_ONE && expected !== text[start + at]) return false;
  }
  return true;
}

function createFinder(piece: PatternPiece): Find<Int32Array> {
  if (piece.length > SHORT_PIECE) return createParallelFinder(piece);
  return (text, from) => {
    for (let at = from; at + piece.length <= text.length; at += 1) {
      if (fits(text, at, piece)) return at + piece.length;
    }
    return -1;
  };
}

const WORD_BITS = 32;

/**
 * Shift-And: bit i of the state says that the i + 1 characters read last fit the beginning of the
 * piece, for all i at once, 32 to a word.
 */
function createParallelFinder(piece: PatternPiece): Find<Int32Array> {
  const words = Math.ceil(piece.length / WORD_BITS);
  const anywhere = new Int32Array(words);
  piece.forEach((character, at) => {
    if (character === ANY_ONE) setBit(anywhere, at);
  });
  const masks = new Map<number, Int32Array>();
  piece.forEach((character, at) => {
    const mask = masks.get(character) ?? anywhere.slice();
    setBit(mask, at);
    masks.set(character, mask);
  });
  const lastWord = words - 1;
  const lastBit = 1 << ((piece.length - 1) % WORD_BITS);
  return (text, from) => {
    const state = new Int32Array(words);
    for (let at = from; at < text.length; at += 1) {
      const mask = masks.get(text[at] ?? 0) ?? anywhere;
      let carry = 1;
      for (let word = 0; word < words; word += 1) {
        const bits = state[word] ?? 0;
        state[word] = ((bits << 1) | carry) & (mask[word] ?? 0);
        carry = bits >>> (WORD_BITS - 1);
      }
      if (((state[lastWord] ?? 0) & lastBit) !== 0) return at + 1;
    }
    return -1;
  };
}

function setBit(words: Int32Array, at: number): void {
  const word = Math.floor(at / WORD_BITS);
  words[word] = (words[word] ?? 0) | (1 << (at % WORD_BITS));
}
