// What the parse functions share: the tokens, the limits, and what the text has declared so far.

import { nestingTooDeep, textTooLong, tooManyPlaceholders } from '../errors.ts';
import type { Expression, Placeholder, TypeName } from './ast.ts';
import { childrenOf, isLeaf } from './children.ts';
import { TokenStream } from './token-stream.ts';

/** How much one text may ask of the parser. */
export interface ParseLimits {
  /** UTF-16 code units. */
  readonly maxTextLength: number;
  readonly maxNesting: number;
  readonly maxPlaceholders: number;
}

export const DEFAULT_PARSE_LIMITS: ParseLimits = {
  maxTextLength: 65_536,
  maxNesting: 200,
  maxPlaceholders: 255,
};

/**
 * Chains such as `a + b + …` need no nesting in the text but grow the tree by a level each. With
 * this bound every recursive walk over a tree is safe on the default stack.
 */
const MAX_TREE_HEIGHT = 400;

/** The productions at which the grammar recurses; modules may not import each other in circles. */
export interface RecursiveProductions {
  readonly query: (parser: Parser) => Expression;
  readonly expression: (parser: Parser) => Expression;
}

/** State of one parse. */
export class Parser {
  readonly tokens: TokenStream;
  readonly placeholders: Placeholder[] = [];
  /** Names that IMPORT made types. */
  readonly importedTypes: Set<string> = new Set<string>();
  readonly #productions: RecursiveProductions;
  readonly #limits: ParseLimits;
  readonly #placeholderNames = new Set<string>();
  /** Of every expression that has parts; the others have height 1. */
  readonly #heights = new Map<Expression, number>();
  #depth = 0;
  #caseDepth = 0;
  #highestNumber = 0;

  constructor(text: string, productions: RecursiveProductions, limits: ParseLimits) {
    this.tokens = new TokenStream(text);
    this.#productions = productions;
    this.#limits = limits;
    const { maxTextLength } = limits;
    if (text.length > maxTextLength) {
      const end = { start: maxTextLength, end: text.length };
      throw textTooLong(this.tokens.place(end), maxTextLength);
    }
  }

  /** query = select | expr, one level deeper */
  query(): Expression {
    return this.#nest(this.#productions.query);
  }

  /** expr, one level deeper */
  expression(): Expression {
    return this.#nest(this.#productions.expression);
  }

  /** Every expression passes through here once it is built, so that no tree grows too high. */
  finish<T extends Expression>(node: T): T {
    const children = childrenOf(node);
    if (children.length === 0) return node;
    let height = 1;
    for (const child of children) {
      // Only what has parts itself has a height to look up.
      if (!isLeaf(child)) height = Math.max(height, this.#heights.get(child) ?? 1);
    }
    height++;
    if (height > MAX_TREE_HEIGHT) {
      throw nestingTooDeep(this.tokens.place(this.tokens.last), MAX_TREE_HEIGHT);
    }
    this.#heights.set(node, height);
    return node;
  }

  /** Runs a parse function that descends into a type's parameters. */
  nestedType(parse: (parser: Parser) => TypeName): TypeName {
    return this.#nest(parse);
  }

  /** Whether WHEN, THEN, ELSE and END would go on a CASE expression. */
  get isInCase(): boolean {
    return this.#caseDepth > 0;
  }

  /** Runs the parse function of a CASE expression. */
  inCase<T>(parse: () => T): T {
    this.#caseDepth++;
    const node = parse();
    this.#caseDepth--;
    return node;
  }

  declarePlaceholder(placeholder: Placeholder): void {
    if (placeholder.kind === 'numbered-parameter') {
      this.#highestNumber = Math.max(this.#highestNumber, placeholder.number);
    } else {
      this.#placeholderNames.add(placeholder.name);
    }
    const { maxPlaceholders } = this.#limits;
    if (this.#highestNumber + this.#placeholderNames.size > maxPlaceholders) {
      throw tooManyPlaceholders(this.tokens.place(placeholder.span), maxPlaceholders);
    }
    this.placeholders.push(placeholder);
  }

  #nest<T>(parse: (parser: Parser) => T): T {
    const { maxNesting } = this.#limits;
    if (this.#depth >= maxNesting) {
      throw nestingTooDeep(this.tokens.place(this.tokens.peek()), maxNesting);
    }
    this.#depth++;
    const node = parse(this);
    // An error ends the whole parse, so the count need not be set right on the way out.
    this.#depth--;
    return node;
  }
}
