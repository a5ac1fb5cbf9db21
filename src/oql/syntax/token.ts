// The tokens of a query text.

import type { Span } from './position.ts';

export type Token = WordToken | RegionPathToken;

export interface WordToken extends Span {
  readonly kind: WordTokenKind;
  /**
   * The content of the token: an identifier without its quotes, a reserved word in lower case, the
   * content of a string, the digits of a number without suffix, a symbol as written.
   */
  readonly text: string;
}

export interface RegionPathToken extends Span {
  readonly kind: 'region-path';
  readonly text: string;
  readonly segments: readonly string[];
}

export type NumberTokenKind = 'int' | 'long' | 'float' | 'double';

export type WordTokenKind =
  | 'identifier'
  | 'quoted-identifier'
  | 'keyword'
  | 'string'
  | NumberTokenKind
  | 'symbol'
  | 'end';

/**
 * Words that need double quotes to be used as names, in any letter case. Words of our extensions
 * (CASE, BETWEEN, IS, OFFSET …) are not among them, so that older queries can still use them as
 * names.
 */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  `abs all and andthen any array as asc avg bag boolean by byte char collection count date declare
  define desc dictionary distinct double element enum except exists false first flatten float for
  from group having hint import in int intersect interval is_defined is_undefined last like limit
  list listtoset long map max min mod nil not null nvl octet or order orelse query select set short
  some string struct sum time timestamp to_date trace true type undefine undefined union unique
  where`.split(/\s+/u),
);

/** By the first letter in either case: bit n is set if a reserved word has n letters. */
const RESERVED_LENGTHS: readonly number[] = Array.from({ length: 128 }, (_, unit) =>
  [...RESERVED_WORDS].reduce((lengths, word) => {
    const isFirst = word.charCodeAt(0) === (unit | 0x20);
    return isFirst ? lengths | (1 << word.length) : lengths;
  }, 0),
);

/** Reserved words as most people write them. */
const COMMON_SPELLINGS: ReadonlyMap<string, string> = new Map(
  [...RESERVED_WORDS].flatMap((word) => [[word, word] as const, [word.toUpperCase(), word]]),
);

/** The word in lower case if it is reserved. */
export function reservedWord(word: string): string | undefined {
  // Most words are excluded without a look-up. A shift by 32 or more would wrap around.
  const lengths = RESERVED_LENGTHS[word.charCodeAt(0)] ?? 0;
  if (word.length >= 32 || ((lengths >> word.length) & 1) === 0) return undefined;
  const common = COMMON_SPELLINGS.get(word);
  if (common !== undefined) return common;
  const lower = word.toLowerCase();
  return lower === word ? undefined : COMMON_SPELLINGS.get(lower);
}

/**
 * Functions that are called without parentheses, and never members; some are of other languages.
 */
const BARE_FUNCTIONS: ReadonlySet<string> = new Set([
  'current_date',
  'current_time',
  'current_timestamp',
  'localtimestamp',
  'sysdate',
]);

const SHORTEST_BARE_FUNCTION = 7;

export function isBareFunction(word: string): boolean {
  return word.length >= SHORTEST_BARE_FUNCTION && BARE_FUNCTIONS.has(word.toLowerCase());
}

/** Reserved words that are literals. */
export const CONSTANTS: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'nil',
  'undefined',
]);

/** Whether an operand can end with this token, so that a slash after it divides. */
export function canEndOperand(token: Token): boolean {
  switch (token.kind) {
    case 'symbol':
      return token.text === ')' || token.text === ']';
    case 'keyword':
      return CONSTANTS.has(token.text);
    case 'end':
      return false;
    default:
      return true;
  }
}

/** How tightly operators bind, loosest first. */
export const OR_RANK = 1;
export const AND_RANK = 2;
export const EQUALITY_RANK = 3;
export const RELATION_RANK = 4;
export const SUM_RANK = 5;
const PRODUCT_RANK = 6;
export const MEMBERSHIP_RANK = 7;
/** NOT, and a non-reserved word: the next token decides whether it begins an operator. */
export const WORD_RANK = 8;

const RANKS: ReadonlyMap<string, number> = new Map([
  ['or', OR_RANK],
  ['and', AND_RANK],
  ...['=', '<>', '!=', 'like'].map((text) => [text, EQUALITY_RANK] as const),
  ...['<', '<=', '>', '>='].map((text) => [text, RELATION_RANK] as const),
  ...['+', '-', '||'].map((text) => [text, SUM_RANK] as const),
  ...['*', '/', '%', 'mod'].map((text) => [text, PRODUCT_RANK] as const),
  ['in', MEMBERSHIP_RANK],
  ['not', WORD_RANK],
]);

/**
 * The rank of the operator that a token after an operand may be, 0 if it is none. Most operands are
 * followed by none, so this test saves all others.
 */
export function operatorRank(token: Token): number {
  switch (token.kind) {
    case 'symbol':
      if (token.text === ',' || token.text === ')') return 0;
      return RANKS.get(token.text) ?? 0;
    case 'keyword':
      return RANKS.get(token.text) ?? 0;
    // Possibly BETWEEN or IS.
    case 'identifier':
      return WORD_RANK;
    default:
      return 0;
  }
}

const PREFIX_SYMBOLS: ReadonlySet<string> = new Set(['(', '$', ':', '+', '-']);
const PREFIX_KEYWORDS: ReadonlySet<string> = new Set(
  `not element nvl to_date abs exists interval is_defined is_undefined count sum avg min max first last set char date time timestamp
  ${[...CONSTANTS].join(' ')}`.split(/\s+/u),
);

/** Whether an expression can start with this token. */
export function canStartExpression(token: Token): boolean {
  switch (token.kind) {
    case 'symbol':
      return PREFIX_SYMBOLS.has(token.text);
    case 'keyword':
      return PREFIX_KEYWORDS.has(token.text);
    case 'end':
      return false;
    default:
      return true;
  }
}

/**
 * Whether an expression can start with this token after a word of our extensions. Such a word is an
 * identifier token, so a slash after it is a division token; MOD is a function there.
 */
export function canStartAfterWord(token: Token): boolean {
  const isModulo = token.kind === 'keyword' && token.text === 'mod';
  return isModulo || canStartExpression(token) || (token.kind === 'symbol' && token.text === '/');
}

/** How messages name a token of a text. */
export function describeToken(token: Token, text: string): string {
  switch (token.kind) {
    case 'end':
      return 'the end of the query';
    case 'string':
      return 'a string';
    case 'keyword':
      return token.text.toUpperCase();
    case 'quoted-identifier':
      return `"${token.text}"`;
    case 'long':
    case 'float':
    case 'double':
      // With its suffix, which may be the mistake.
      return `'${text.slice(token.start, token.end)}'`;
    default:
      return `'${token.text}'`;
  }
}
