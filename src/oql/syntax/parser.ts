// State that the parse functions share: tokens, limits, and declarations of the text so far.

import {
  DEFAULT_MAX_NESTING,
  DEFAULT_MAX_PLACEHOLDERS,
  DEFAULT_MAX_TEXT_LENGTH,
} from '../../value/default-limits.ts';
import {
  chainTooLong,
  nestingTooDeep,
  type OqlError,
  textTooLong,
  tooManyParts,
  tooManyPlaceholders,
} from '../errors.ts';
import type { Expression, Placeholder, TypeName } from './ast.ts';
import type { Token } from './token.ts';
import { TokenStream } from './token-stream.ts';

/** Limits of a text. */
export interface ParseLimits {
  /** UTF-16 code units. */
  readonly maxTextLength: number;
  readonly maxNesting: number;
  readonly maxPlaceholders: number;
}

/** For a parser that is used alone, and for texts of indexes; queries have settings. */
export const DEFAULT_PARSE_LIMITS: ParseLimits = {
  maxTextLength: DEFAULT_MAX_TEXT_LENGTH,
  maxNesting: DEFAULT_MAX_NESTING,
  maxPlaceholders: DEFAULT_MAX_PLACEHOLDERS,
};

/**
 * Chains such as `a + b + …` need no nesting in the text but grow the tree by a level each. With
 * this bound every recursive walk over a tree is safe on the default stack.
 */
const MAX_TREE_HEIGHT = 400;

/**
 * How many of each part a text can have, because nobody writes more (decision 0134), and how much
 * each adds to the weight of the text, besides its tokens (decision 0136).
 */
const PARTS = {
  definition: { limit: 256, weight: 50 },
  source: { limit: 256, weight: 50 },
  projection: { limit: 2000, weight: 6 },
  'group column': { limit: 2000, weight: 6 },
  'sort key': { limit: 2000, weight: 6 },
  aggregate: { limit: 500, weight: 6 },
  'arithmetic operator': { limit: 4000, weight: 2 },
  call: { limit: 3000, weight: 2 },
} as const;

export type Part = keyof typeof PARTS;

/**
 * The greatest weight of a text: one for each token, and that of its parts. A value in a
 * list and the comma after it weigh one together. The limit bounds the work for any mixture of
 * parts, in proportion to the length that a text may have.
 */
const MAX_WEIGHT = 25_000;

/**
 * What LIKE, BETWEEN, IS, IN, SET, ANY, ALL, NOT, CASE, casts and subscripts add. Comparisons add
 * nothing, because programs write thousands of them.
 */
export const RARE_WEIGHT = 4;

/**
 * The productions at which the grammar recurses; passed in, because modules must not import each
 * other in cycles.
 */
export interface RecursiveProductions {
  readonly query: (parser: Parser) => Expression;
  readonly expression: (parser: Parser) => Expression;
}

/** Constructs whose words are not reserved elsewhere. */
type Construct = 'case' | 'from';

/** State of one parse. */
export class Parser {
  readonly tokens: TokenStream;
  readonly placeholders: Placeholder[] = [];
  /** Names of imported types. */
  readonly importedTypes: Set<string> = new Set<string>();
  /** The height of the tree that was finished last, or the greatest height of a list. */
  height = 0;
  readonly #productions: RecursiveProductions;
  readonly #limits: ParseLimits;
  readonly #placeholderNames = new Set<string>();
  #depth = 0;
  /** How many of each construct the parser is in. */
  readonly #depths: Record<Construct, number> = { case: 0, from: 0 };
  #highestNumber = 0;
  readonly #parts: Partial<Record<Part, number>> = {};

  constructor(text: string, productions: RecursiveProductions, limits: ParseLimits) {
    const longest = Math.max(limits.maxTextLength, DEFAULT_PARSE_LIMITS.maxTextLength);
    const share = longest / DEFAULT_PARSE_LIMITS.maxTextLength;
    this.tokens = new TokenStream(text, Math.floor(MAX_WEIGHT * share));
    this.#productions = productions;
    this.#limits = limits;
    const { maxTextLength } = limits;
    if (text.length > maxTextLength) {
      const end = { start: maxTextLength, end: text.length };
      throw textTooLong(this.tokens.locate(end), maxTextLength);
    }
  }

  /** query = select | expr, one level deeper */
  query(): Expression {
    return this.#nest(this.#productions.query);
  }

  /** expr, one level deeper */
  expression(): Expression {
    if (this.#depth >= this.#limits.maxNesting) throw this.#tooDeep();
    this.#depth++;
    const node = this.#productions.expression(this);
    this.#depth--;
    return node;
  }

  /**
   * Every expression passes through here once it is built, which bounds the height of the tree.
   * `childHeight` is the height of its tallest part.
   */
  finish<T extends Expression>(node: T, childHeight: number): T {
    this.height = childHeight + 1;
    if (this.height > MAX_TREE_HEIGHT) {
      throw chainTooLong(this.tokens.locate(this.tokens.last), MAX_TREE_HEIGHT);
    }
    return node;
  }

  /** An expression that has no parts. */
  finishLeaf<T extends Expression>(node: T): T {
    this.height = 1;
    return node;
  }

  /** The greater of a height and that of the tree that was finished last. */
  tallest(height: number): number {
    return Math.max(height, this.height);
  }

  /** Runs a parse function that descends into a type's parameters. */
  nestedType(parse: (parser: Parser) => TypeName): TypeName {
    return this.#nest(parse);
  }

  /** Whether a word that continues this construct, such as THEN or JOIN, ends an expression. */
  isIn(construct: Construct): boolean {
    return this.#depths[construct] > 0;
  }

  /** Runs the parse function of a construct. */
  inside<T>(construct: Construct, parse: () => T): T {
    this.#depths[construct]++;
    const node = parse();
    this.#depths[construct]--;
    return node;
  }

  /** Called before a part is parsed, so that a text with too many ends there. */
  countPart(part: Part, at: Token = this.tokens.peek()): void {
    const count = (this.#parts[part] ?? 0) + 1;
    this.#parts[part] = count;
    const { limit, weight } = PARTS[part];
    if (count > limit) throw tooManyParts(this.tokens.locate(at), limit, part);
    this.tokens.weight += weight;
  }

  declarePlaceholder(placeholder: Placeholder): void {
    if (placeholder.kind === 'numbered-parameter') {
      this.#highestNumber = Math.max(this.#highestNumber, placeholder.number);
    } else {
      this.#placeholderNames.add(placeholder.name);
    }
    const { maxPlaceholders } = this.#limits;
    if (this.#highestNumber + this.#placeholderNames.size > maxPlaceholders) {
      throw tooManyPlaceholders(this.tokens.locate(placeholder.span), maxPlaceholders);
    }
    this.placeholders.push(placeholder);
  }

  #nest<T>(parse: (parser: Parser) => T): T {
    if (this.#depth >= this.#limits.maxNesting) throw this.#tooDeep();
    this.#depth++;
    const node = parse(this);
    // An error ends the whole parse, so the count need not be restored.
    this.#depth--;
    return node;
  }

  #tooDeep(): OqlError {
    return nestingTooDeep(this.tokens.locate(this.tokens.peek()), this.#limits.maxNesting);
  }
}
