// The part of Java's regular expressions that can be matched in linear time: no back references, no
// look-around, no possessive quantifiers, no inline flags. Text is read as code points.

import { MethodFailure } from '../overload.ts';

export type RegexNode =
  | { readonly kind: 'set'; readonly set: CodePointSet }
  | { readonly kind: 'assertion'; readonly assertion: RegexAssertion }
  | { readonly kind: 'group'; readonly number: number; readonly body: RegexNode }
  | { readonly kind: 'sequence'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly options: readonly RegexNode[] }
  | RegexRepeat;

export interface RegexRepeat {
  readonly kind: 'repeat';
  readonly body: RegexNode;
  readonly min: number;
  readonly max: number;
  readonly lazy: boolean;
}

export type RegexAssertion = 'start' | 'end' | 'word-boundary' | 'no-word-boundary';

/** Inclusive ranges; `negated` turns them into everything else. */
export interface CodePointSet {
  readonly ranges: readonly (readonly [number, number])[];
  readonly negated: boolean;
}

export interface ParsedRegex {
  readonly root: RegexNode;
  readonly groupCount: number;
}

/** Deep enough for any real pattern, shallow enough for the stack. */
const MAX_NESTING = 100;
const MAX_REPEAT = 1000;

export function parseRegex(pattern: string): ParsedRegex | MethodFailure {
  const parser = new RegexParser(pattern);
  try {
    return parser.parse();
  } catch (error) {
    if (error instanceof BadPattern) return new MethodFailure(error.message);
    throw error;
  }
}

/** Ends the recursion of the parser; caught in this file. */
class BadPattern extends Error {}

const DIGITS: CodePointSet = { ranges: [[0x30, 0x39]], negated: false };
const WORD_RANGES = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
] as const;
const BLANK_RANGES = [
  [0x09, 0x0d],
  [0x20, 0x20],
] as const;
const LINE_ENDS = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x85, 0x85],
  [0x2028, 0x2029],
] as const;

const CLASS_ESCAPES: ReadonlyMap<string, CodePointSet> = new Map([
  ['d', DIGITS],
  ['D', { ...DIGITS, negated: true }],
  ['w', { ranges: WORD_RANGES, negated: false }],
  ['W', { ranges: WORD_RANGES, negated: true }],
  ['s', { ranges: BLANK_RANGES, negated: false }],
  ['S', { ranges: BLANK_RANGES, negated: true }],
]);

const CONTROL_ESCAPES: ReadonlyMap<string, number> = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['r', 0x0d],
  ['f', 0x0c],
]);

const ASSERTION_ESCAPES: ReadonlyMap<string, RegexAssertion> = new Map([
  ['b', 'word-boundary'],
  ['B', 'no-word-boundary'],
  ['A', 'start'],
  ['z', 'end'],
]);

class RegexParser {
  readonly #pattern: readonly string[];
  #at = 0;
  #groups = 0;
  #nesting = 0;

  constructor(pattern: string) {
    this.#pattern = [...pattern];
  }

  parse(): ParsedRegex {
    const root = this.#parseChoice();
    if (this.#peek() !== undefined)
      throw new BadPattern(`unexpected ${this.#peek()} in the pattern`);
    return { root, groupCount: this.#groups };
  }

  // choice = sequence , { "|" , sequence } ;
  #parseChoice(): RegexNode {
    this.#nesting += 1;
    if (this.#nesting > MAX_NESTING) throw new BadPattern('the pattern nests too deeply');
    const options = [this.#parseSequence()];
    while (this.#skip('|')) options.push(this.#parseSequence());
    this.#nesting -= 1;
    return options.length === 1 && options[0] !== undefined
      ? options[0]
      : { kind: 'choice', options };
  }

  // sequence = { atom , [ quantifier ] } ;
  #parseSequence(): RegexNode {
    const parts: RegexNode[] = [];
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; ) {
      parts.push(this.#parseQuantifier(this.#parseAtom()));
      next = this.#peek();
    }
    return { kind: 'sequence', parts };
  }

  // quantifier = ( "*" | "+" | "?" | "{" , int , [ "," , [ int ] ] , "}" ) , [ "?" ] ;
  #parseQuantifier(body: RegexNode): RegexNode {
    const bounds = this.#parseBounds();
    if (bounds === undefined) return body;
    const lazy = this.#skip('?');
    const follower = this.#peek();
    if (follower === '+' || follower === '*' || follower === '?') {
      throw new BadPattern('possessive and stacked quantifiers are not supported');
    }
    return { kind: 'repeat', body, min: bounds[0], max: bounds[1], lazy };
  }

  #parseBounds(): readonly [number, number] | undefined {
    if (this.#skip('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#skip('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#skip('?')) return [0, 1];
    if (!this.#skip('{')) return undefined;
    const min = this.#parseCount();
    let max = min;
    if (this.#skip(',')) {
      max = this.#peek() === '}' ? Number.POSITIVE_INFINITY : this.#parseCount();
    }
    this.#require('}');
    if (max < min) throw new BadPattern('a repetition has a maximum below its minimum');
    return [min, max];
  }

  #parseCount(): number {
    let digits = '';
    for (let next = this.#peek(); next !== undefined && /\d/.test(next); next = this.#peek()) {
      digits += this.#take();
    }
    const count = Number(digits);
    if (digits === '' || count > MAX_REPEAT) {
      throw new BadPattern(`a repetition takes numbers from 0 to ${MAX_REPEAT}`);
    }
    return count;
  }

  #parseAtom(): RegexNode {
    const character = this.#take();
    switch (character) {
      case '(':
        return this.#parseGroup();
      case '[':
        return { kind: 'set', set: this.#parseClass() };
      case '.':
        return { kind: 'set', set: { ranges: LINE_ENDS, negated: true } };
      case '^':
        return { kind: 'assertion', assertion: 'start' };
      case '$':
        return { kind: 'assertion', assertion: 'end' };
      case '\\':
        return this.#parseEscape();
      case '*':
      case '+':
      case '?':
      case '{':
        throw new BadPattern(`there is nothing for ${character} to repeat`);
      default:
        return single(codePointOf(character));
    }
  }

  #parseGroup(): RegexNode {
    let number: number | undefined;
    if (this.#skip('?')) {
      if (!this.#skip(':')) throw new BadPattern('groups of the form (?…) are not supported');
    } else {
      this.#groups += 1;
      number = this.#groups;
    }
    const body = this.#parseChoice();
    this.#require(')');
    return number === undefined ? body : { kind: 'group', number, body };
  }

  #parseEscape(): RegexNode {
    const letter = this.#take();
    const assertion = ASSERTION_ESCAPES.get(letter);
    if (assertion !== undefined) return { kind: 'assertion', assertion };
    const set = CLASS_ESCAPES.get(letter);
    if (set !== undefined) return { kind: 'set', set };
    return single(this.#parseEscapedCodePoint(letter));
  }

  #parseEscapedCodePoint(letter: string): number {
    const control = CONTROL_ESCAPES.get(letter);
    if (control !== undefined) return control;
    if (letter === 'u') return this.#parseHex(4);
    if (letter === 'x') return this.#parseHex(2);
    if (/[A-Za-z0-9]/.test(letter)) throw new BadPattern(`the escape \\${letter} is not supported`);
    return codePointOf(letter);
  }

  #parseHex(digits: number): number {
    let text = '';
    for (let count = 0; count < digits; count += 1) text += this.#take();
    if (!/^[\dA-Fa-f]+$/.test(text)) throw new BadPattern('an escape lacks hexadecimal digits');
    return Number.parseInt(text, 16);
  }

  // class = "[" , [ "^" ] , { item , [ "-" , item ] } , "]" ;
  #parseClass(): CodePointSet {
    const negated = this.#skip('^');
    const ranges: (readonly [number, number])[] = [];
    do {
      if (this.#peek() === '[' || this.#peek() === '&') {
        throw new BadPattern('nested character classes are not supported');
      }
      const item = this.#parseClassItem();
      if (typeof item !== 'number') ranges.push(...item);
      else ranges.push([item, this.#parseRangeEnd(item)]);
    } while (!this.#skip(']'));
    return { ranges, negated };
  }

  #parseClassItem(): number | CodePointSet['ranges'] {
    const character = this.#take();
    if (character !== '\\') return codePointOf(character);
    const letter = this.#take();
    const set = CLASS_ESCAPES.get(letter);
    if (set === undefined) return this.#parseEscapedCodePoint(letter);
    return set.negated ? complement(set.ranges) : set.ranges;
  }

  #parseRangeEnd(start: number): number {
    if (this.#peek() !== '-' || this.#pattern[this.#at + 1] === ']') return start;
    this.#take();
    const end = this.#parseClassItem();
    if (typeof end !== 'number' || end < start) {
      throw new BadPattern('a range in a character class is out of order');
    }
    return end;
  }

  #peek(): string | undefined {
    return this.#pattern[this.#at];
  }

  #take(): string {
    const character = this.#pattern[this.#at];
    if (character === undefined) throw new BadPattern('the pattern ends too early');
    this.#at += 1;
    return character;
  }

  #skip(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  #require(character: string): void {
    if (!this.#skip(character)) throw new BadPattern(`the pattern lacks a ${character}`);
  }
}

function single(codePoint: number): RegexNode {
  return { kind: 'set', set: { ranges: [[codePoint, codePoint]], negated: false } };
}

function codePointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** The gaps between ascending ranges. */
function complement(ranges: CodePointSet['ranges']): CodePointSet['ranges'] {
  const gaps: (readonly [number, number])[] = [];
  let next = 0;
  for (const [low, high] of ranges) {
    if (low > next) gaps.push([next, low - 1]);
    next = high + 1;
  }
  return [...gaps, [next, 0x10ffff]];
}
