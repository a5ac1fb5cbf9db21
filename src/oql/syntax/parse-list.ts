// The list after IN, ANY and ALL. Parentheses may also contain a subquery, or one value that is a
// collection, as in Geode; those are ordinary expressions.

import type { Expression } from './ast.ts';
import { parseArguments } from './parse-function.ts';
import type { Parser } from './parser.ts';
import { spanOf } from './position.ts';
import { CONSTANTS, type Token } from './token.ts';
import type { TokenStream } from './token-stream.ts';

/**
 * list = "(" , expr , "," , expr , { "," , expr } , ")" | "(" , ( literal | placeholder ) , ")"
 *
 * Undefined if no list follows.
 */
export function parseList(parser: Parser): Expression | undefined {
  const { tokens } = parser;
  if (!tokens.isSymbol('(') || !isListAhead(tokens)) return undefined;
  const start = tokens.peek();
  const elements = parseArguments(parser);
  const span = spanOf(start, tokens.last);
  return parser.finish({ kind: 'set', form: 'list', elements, span }, parser.height);
}

/** Longer first elements are not written by hand. Bounds the lookahead of each nested list. */
const MAX_ELEMENT_TOKENS = 200;

function isListAhead(tokens: TokenStream): boolean {
  if (tokens.isKeyword('select', 1)) return false;
  const isPlaceholder = tokens.isSymbol('$', 1) || tokens.isSymbol(':', 1);
  const isNegative = tokens.isSymbol('-', 1) && isValue(tokens.peek(2));
  const isOneValue =
    (isValue(tokens.peek(1)) && isClosed(tokens, 2)) ||
    ((isPlaceholder || isNegative) && isClosed(tokens, 3));
  return isOneValue || isCommaAhead(tokens);
}

/** Whether the list ends here. `IN ($1).values` is a member of the parameter. */
function isClosed(tokens: TokenStream, ahead: number): boolean {
  return tokens.isSymbol(')', ahead) && !isContinued(tokens.peek(ahead + 1));
}

const VALUES: ReadonlySet<string> = new Set(['string', 'int', 'long', 'float', 'double']);

function isValue({ kind, text }: Token): boolean {
  return VALUES.has(kind) || (kind === 'keyword' && CONSTANTS.has(text));
}

function isContinued({ kind, text }: Token): boolean {
  return kind === 'symbol' && (text === '.' || text === '->' || text === '[');
}

/** Whether a comma comes before the parenthesis is closed. */
function isCommaAhead(tokens: TokenStream): boolean {
  const isHinted = tokens.isSymbol('<', 1);
  if (isHinted || (tokens.isContextual('with', 1) && tokens.isKeyword('as', 3))) return false;
  let depth = 0;
  for (let ahead = 0; ahead <= MAX_ELEMENT_TOKENS; ahead += 1) {
    const token = tokens.peek(ahead);
    depth += NESTING[token.kind === 'symbol' ? token.text : ''] ?? 0;
    if (depth === 0 || token.kind === 'end') return false;
    if (depth === 1 && tokens.isSymbol(',', ahead)) return true;
  }
  return false;
}

const NESTING: Readonly<Partial<Record<string, number>>> = { '(': 1, '[': 1, ')': -1, ']': -1 };
