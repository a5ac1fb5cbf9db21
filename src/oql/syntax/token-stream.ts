// The tokens of one text with a position: look ahead, take, or fail with a message that names the
// expected token. Tokens are read on demand.

import { nearestName } from '../../value/nearest-name.ts';
import { type Location, type OqlError, syntaxError, textTooHeavy } from '../errors.ts';
import { isSingleSymbol, readRegionPath, readToken } from './lexer.ts';
import type { Span } from './position.ts';
import { canEndOperand, describeToken, type RegionPathToken, type Token } from './token.ts';

export class TokenStream {
  readonly text: string;
  /** One for each token that was taken; parts that cost more add to it. */
  weight = 0;
  readonly #maxWeight: number;
  #last: Token | undefined;
  /** Undefined until it is peeked at. */
  #next: Token | undefined;
  /** Tokens read ahead of the next one, between two indexes of the array. */
  readonly #lookahead: Token[] = [];
  #lookaheadStart = 0;
  #lookaheadEnd = 0;

  constructor(text: string, maxWeight: number = Number.POSITIVE_INFINITY) {
    this.text = text;
    this.#maxWeight = maxWeight;
  }

  /** The token `ahead` tokens after the next one; beyond the end always the token `end`. */
  peek(ahead = 0): Token {
    return ahead === 0 ? (this.#next ?? this.#readNext()) : this.#peekAhead(ahead);
  }

  #readNext(): Token {
    const token = readToken(this.text, this.#last);
    this.#next = token;
    return token;
  }

  #peekAhead(ahead: number): Token {
    const next = this.#next ?? this.#readNext();
    const index = this.#lookaheadStart + ahead - 1;
    if (index < this.#lookaheadEnd) return this.#lookahead[index] ?? next;
    let token = this.#readBefore(1, next) ?? next;
    while (this.#lookaheadEnd <= index && token.kind !== 'end') {
      const read = readToken(this.text, token);
      const isName =
        read.kind === 'keyword' && isParameterColon(this.#readBefore(2, next), token, read);
      token = isName ? this.#asName(read) : read;
      this.#lookahead[this.#lookaheadEnd++] = token;
    }
    return token;
  }

  /** The token `back` tokens before the one that is read next. */
  #readBefore(back: number, next: Token): Token | undefined {
    const index = this.#lookaheadEnd - back;
    if (index >= 0) return this.#lookahead[index];
    return index === -1 ? next : this.#last;
  }

  take(): Token {
    const token = this.#next ?? this.#readNext();
    if (token.kind !== 'end') this.#pass(token);
    return token;
  }

  /** Takes the next token, which is known and not the end. */
  #pass(token: Token): void {
    if (++this.weight > this.#maxWeight) throw textTooHeavy(this.locate(token), this.#maxWeight);
    this.#last = token;
    this.#next = this.#lookaheadEnd === 0 ? undefined : this.#takeLookahead();
  }

  #takeLookahead(): Token | undefined {
    const token = this.#lookahead[this.#lookaheadStart++];
    if (this.#lookaheadStart === this.#lookaheadEnd) this.#clearLookahead();
    return token;
  }

  #clearLookahead(): void {
    this.#lookaheadStart = 0;
    this.#lookaheadEnd = 0;
  }

  /** The token taken last; before the first one, the first. */
  get last(): Token {
    return this.#last ?? this.peek();
  }

  /** Takes the next token, which was read as a division, as the region path it turns out to be. */
  takeRegionPath(): RegionPathToken {
    const token = this.#next ?? this.#readNext();
    if (token.kind === 'region-path') {
      this.#pass(token);
      return token;
    }
    const path = readRegionPath(this.text, token.start);
    this.#replace(path);
    return path;
  }

  /** Takes the next token, a word, as the name it turns out to be, reserved or not. */
  takeName(): Token {
    const name = this.#asName(this.peek());
    this.#replace(name);
    return name;
  }

  #asName({ start, end }: Token): Token {
    return { kind: 'identifier', text: this.text.slice(start, end), start, end };
  }

  /** Takes `token` instead of the next one; the text after it may read differently. */
  #replace(token: Token): void {
    this.#last = token;
    this.#next = undefined;
    this.#clearLookahead();
  }

  // The checks below run for every token, so they read the next one without a call.

  isSymbol(symbol: string, ahead = 0): boolean {
    const token = ahead === 0 ? (this.#next ?? this.#readNext()) : this.#peekAhead(ahead);
    return token.kind === 'symbol' && token.text === symbol;
  }

  /** Whether the symbol follows the next token; a sign is tested without reading it as a token. */
  isFollowedBy(symbol: string): boolean {
    const { end } = this.#next ?? this.#readNext();
    return isSingleSymbol(this.text, end)
      ? this.text.charAt(end) === symbol
      : this.isSymbol(symbol, 1);
  }

  isKeyword(keyword: string, ahead = 0): boolean {
    const token = ahead === 0 ? (this.#next ?? this.#readNext()) : this.#peekAhead(ahead);
    return token.kind === 'keyword' && token.text === keyword;
  }

  /** A contextual keyword, such as BETWEEN; quoted it is just a name. */
  isContextual(word: string, ahead = 0): boolean {
    const token = ahead === 0 ? (this.#next ?? this.#readNext()) : this.#peekAhead(ahead);
    if (token.kind !== 'identifier' || token.text.length !== word.length) return false;
    return token.text.toLowerCase() === word;
  }

  isIdentifier(ahead = 0): boolean {
    const { kind } = ahead === 0 ? (this.#next ?? this.#readNext()) : this.#peekAhead(ahead);
    return kind === 'identifier' || kind === 'quoted-identifier';
  }

  acceptSymbol(symbol: string): boolean {
    const token = this.#next ?? this.#readNext();
    if (token.kind !== 'symbol' || token.text !== symbol) return false;
    this.#pass(token);
    return true;
  }

  acceptKeyword(keyword: string): boolean {
    const token = this.#next ?? this.#readNext();
    if (token.kind !== 'keyword' || token.text !== keyword) return false;
    this.#pass(token);
    return true;
  }

  acceptContextual(word: string): boolean {
    const isNext = this.isContextual(word);
    if (isNext) this.take();
    return isNext;
  }

  expectSymbol(symbol: string): Token {
    const token = this.#next ?? this.#readNext();
    if (token.kind !== 'symbol' || token.text !== symbol) throw this.unexpected(`'${symbol}'`);
    this.#pass(token);
    return token;
  }

  expectKeyword(keyword: string): Token {
    const token = this.#next ?? this.#readNext();
    if (token.kind !== 'keyword' || token.text !== keyword) {
      throw this.unexpected(keyword.toUpperCase());
    }
    this.#pass(token);
    return token;
  }

  expectContextual(word: string): Token {
    if (!this.isContextual(word)) throw this.unexpected(word.toUpperCase());
    return this.take();
  }

  /** A name; `what` describes it in the message. */
  expectIdentifier(what: string): Token {
    const token = this.#next ?? this.#readNext();
    if (token.kind !== 'identifier' && token.kind !== 'quoted-identifier') {
      throw this.unexpected(what, this.#reservedWordHint());
    }
    this.#pass(token);
    return token;
  }

  /** A name where nothing else is possible, so that a reserved word is accepted too. */
  expectName(what: string): Token {
    return this.peek().kind === 'keyword' ? this.takeName() : this.expectIdentifier(what);
  }

  expectString(what: string): Token {
    if (this.peek().kind !== 'string') throw this.unexpected(what);
    return this.take();
  }

  locate(span: Span): Location {
    return { text: this.text, span };
  }

  /** The error for an unexpected next token. */
  unexpected(expected: string, hint?: string): OqlError {
    const token = this.peek();
    const reason = `Expected ${expected}, but found ${describeToken(token, this.text)}`;
    return syntaxError(this.locate(token), reason, hint ?? this.#slipHint(token));
  }

  /** How to use the next word as a name, if it is a reserved one. */
  #reservedWordHint(): string | undefined {
    const token = this.peek();
    return token.kind === 'keyword'
      ? quoteHint(this.text.slice(token.start, token.end))
      : undefined;
  }

  /** The suggestion for the next word, if it belongs to another language. */
  foreignWordHint(): string | undefined {
    const { kind, text } = this.peek();
    return kind === 'identifier' ? FOREIGN_WORDS.get(text.toLowerCase()) : undefined;
  }

  /** For `SELEC * FROM …`, which reads as a product up to FROM. */
  misspelledSelectHint(): string | undefined {
    const { start, text } = this.peek();
    if (text !== 'from') return undefined;
    const [, word] =
      WORD_AND_STAR.exec(this.text.slice(Math.max(0, start - WORD_AND_STAR_LENGTH), start)) ?? [];
    const isSlip = word !== undefined && nearestName(word, ['select']) !== undefined;
    return isSlip ? 'Did you mean SELECT?' : undefined;
  }

  #slipHint(token: Token): string | undefined {
    const foreign = this.foreignWordHint();
    if (foreign !== undefined) return foreign;
    // The mistake is often one word earlier: `SELET DISTINCT …` fails at DISTINCT.
    for (const word of [token, this.last]) {
      if (word.kind !== 'identifier') continue;
      const keyword = nearestName(word.text, CLAUSE_WORDS);
      if (keyword === undefined) continue;
      // Read as an alias, because no number follows it.
      const isOffset = word.text.toLowerCase() === 'offset';
      return isOffset
        ? 'OFFSET takes a number of rows or a bind parameter'
        : `Did you mean ${keyword.toUpperCase()}?`;
    }
    return undefined;
  }
}

/** The hint for a reserved word that is meant as a name. */
export function quoteHint(word: string): string {
  return `To use ${word} as a name, put it in double quotes: "${word}"`;
}

/** Longer text before FROM is no misspelled `SELECT *`. */
const WORD_AND_STAR_LENGTH = 32;
const WORD_AND_STAR = /\b(\w+)\s*\*\s*$/;

/** Words of other languages at which parsing fails, and hints for them. */
const FOREIGN_WORDS: ReadonlyMap<string, string> = new Map([
  ['when', 'Put the operand between CASE and WHEN in parentheses'],
  ['is', 'IS is followed by NULL or by a type such as NUMBER, STRING or LIST'],
  ['escape', "A backslash escapes % and _: LIKE '100\\%'"],
  ['minus', 'Did you mean EXCEPT?'],
  ['fetch', 'Did you mean LIMIT?'],
  ['using', 'Write the condition of a join: ON a.id = b.id'],
]);

const CLAUSE_WORDS = [
  'select',
  'distinct',
  'from',
  'where',
  'group',
  'having',
  'order',
  'limit',
  'offset',
  'and',
  'like',
  'desc',
  'asc',
  'between',
];

/** Whether a colon begins the parameter that `word` names: `(:limit / 2)`; `a:null` is an alias. */
function isParameterColon(before: Token | undefined, colon: Token, word: Token): boolean {
  const isColon = colon.kind === 'symbol' && colon.text === ':' && colon.end === word.start;
  return isColon && (before === undefined || !canEndOperand(before));
}
