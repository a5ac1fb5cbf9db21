// The clauses that put rows in order and count them out: ORDER BY, LIMIT, OFFSET.

import type { RowCount, SortKey } from './ast.ts';
import { parseNumberLiteral } from './parse-literal.ts';
import { parsePlaceholder } from './parse-primary.ts';
import { isOffsetAhead } from './parse-type.ts';
import type { Parser } from './parser.ts';
import { spanOf } from './position.ts';
import type { TokenStream } from './token-stream.ts';

export interface RowOrder {
  readonly orderBy: readonly SortKey[];
  readonly limit: RowCount | undefined;
  readonly offset: RowCount | undefined;
}

/**
 * [ ORDER , BY , sortKey , { "," , sortKey } ] , [ LIMIT , rowCount ] , [ OFFSET , rowCount ]
 *
 * The height left is that of the tallest, at least that from before.
 */
export function parseRowOrder(parser: Parser): RowOrder {
  const { tokens } = parser;
  const below = parser.height;
  const orderBy = acceptBy(tokens, 'order') ? parseItems(parser, parseSortKey) : [];
  const height = parser.tallest(below);
  const limit = tokens.acceptKeyword('limit') ? parseRowCount(parser) : undefined;
  const offset = parseOffset(parser);
  parser.height = height;
  return { orderBy, limit, offset };
}

/** item , { "," , item }; the height left is that of the tallest */
export function parseItems<T>(parser: Parser, parseItem: (parser: Parser) => T): readonly T[] {
  const items = [parseItem(parser)];
  let below = parser.height;
  while (parser.tokens.acceptSymbol(',')) {
    items.push(parseItem(parser));
    below = parser.tallest(below);
  }
  parser.height = below;
  return items;
}

export function acceptBy(tokens: TokenStream, keyword: 'group' | 'order'): boolean {
  if (!tokens.acceptKeyword(keyword)) return false;
  tokens.expectKeyword('by');
  return true;
}

/** sortKey = expr , [ ASC | DESC ] , [ NULLS , ( FIRST | LAST ) ] */
function parseSortKey(parser: Parser): SortKey {
  const { tokens } = parser;
  const expression = parser.expression();
  const isDescending = tokens.acceptKeyword('desc');
  if (!isDescending) tokens.acceptKeyword('asc');
  const nulls = parseNulls(tokens);
  const span = spanOf(expression.span, tokens.last);
  const direction = isDescending ? 'desc' : 'asc';
  return { kind: 'sort-key', expression, direction, nulls, span };
}

function parseNulls(tokens: TokenStream): SortKey['nulls'] {
  if (!tokens.acceptContextual('nulls')) return undefined;
  const isFirst = tokens.isKeyword('first');
  if (!isFirst && !tokens.isKeyword('last')) throw tokens.unexpected('FIRST or LAST');
  tokens.take();
  return isFirst ? 'first' : 'last';
}

/** rowCount = INT | placeholder */
function parseRowCount(parser: Parser): RowCount {
  const { tokens } = parser;
  const token = tokens.peek();
  if (token.kind === 'int') return parser.finishLeaf(parseNumberLiteral(tokens, token));
  if (tokens.isSymbol('$') || tokens.isSymbol(':'))
    return parser.finishLeaf(parsePlaceholder(parser));
  throw tokens.unexpected('a number of rows, not negative, or a bind parameter');
}

function parseOffset(parser: Parser): RowCount | undefined {
  if (!isOffsetAhead(parser.tokens)) return undefined;
  parser.tokens.take();
  return parseRowCount(parser);
}
