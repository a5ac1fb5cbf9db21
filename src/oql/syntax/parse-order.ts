// The clauses ORDER BY, LIMIT and OFFSET.

import { literalInvalid } from '../errors.ts';
import type { RowCount, RowOrder, SortKey } from './ast.ts';
import { INT_MAX, parseNumberLiteral, SHORT_INTEGER } from './parse-literal.ts';
import { parsePlaceholder } from './parse-primary.ts';
import { isFetchAhead, isOffsetAhead } from './parse-type.ts';
import type { Parser, Part } from './parser.ts';
import { spanOf } from './position.ts';
import type { Token } from './token.ts';
import type { TokenStream } from './token-stream.ts';

/**
 * [ ORDER , BY , sortKey , { "," , sortKey } ] , { limit | offset }, each of these once
 *
 * The height left is that of the tallest, at least that from before.
 */
export function parseRowOrder(parser: Parser): RowOrder {
  const { tokens } = parser;
  const childHeight = parser.height;
  const orderBy = acceptBy(tokens, 'order') ? parseItems(parser, 'sort key', parseSortKey) : [];
  const height = parser.tallest(childHeight);
  // OFFSET may precede LIMIT or follow it.
  const offsetBefore = parseOffset(parser);
  const limit = parseLimit(parser);
  const offset = offsetBefore ?? parseOffset(parser);
  parser.height = height;
  return { orderBy, limit, offset };
}

/** item , { "," , item }; the height left is that of the tallest */
export function parseItems<T>(
  parser: Parser,
  part: Part,
  parseItem: (parser: Parser) => T,
): readonly T[] {
  const items: T[] = [];
  let childHeight = 0;
  do {
    parser.countPart(part);
    items.push(parseItem(parser));
    childHeight = parser.tallest(childHeight);
  } while (parser.tokens.acceptSymbol(','));
  parser.height = childHeight;
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
  const direction = isDescending ? 'desc' : 'asc';
  return { kind: 'sort-key', expression, direction, nulls };
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
  if (token.kind === 'int') {
    requireRowCount(token, tokens);
    return parser.finishLeaf(parseNumberLiteral(tokens, token));
  }
  if (tokens.isSymbol('$') || tokens.isSymbol(':'))
    return parser.finishLeaf(parsePlaceholder(parser));
  throw tokens.unexpected('a number of rows, not negative, or a bind parameter');
}

/** Unlike other integers, this one cannot be written as a long. */
function requireRowCount(token: Token, tokens: TokenStream): void {
  if (token.text.length <= SHORT_INTEGER || BigInt(token.text) <= INT_MAX) return;
  const reason = `${token.text} is out of range: as a number of rows, write at most ${INT_MAX}`;
  throw literalInvalid(tokens.locate(token), reason);
}

/** limit = LIMIT , ( rowCount | ALL ) | FETCH , ( FIRST | NEXT ) , [ rowCount ] , ( ROW | ROWS ) , ONLY */
function parseLimit(parser: Parser): RowCount | undefined {
  const { tokens } = parser;
  if (isFetchAhead(tokens)) return parseFetch(parser);
  if (!tokens.acceptKeyword('limit') || tokens.acceptKeyword('all')) return undefined;
  const limit = parseRowCount(parser);
  if (tokens.isSymbol(','))
    throw tokens.unexpected('the end of the query', pairHint(tokens, limit));
  return limit;
}

/** `LIMIT 5, 10` of other languages skips five rows and returns ten. */
function pairHint(tokens: TokenStream, skipped: RowCount): string {
  const second = tokens.peek(1);
  const count = second.kind === 'int' ? second.text : 'count';
  const rows = tokens.text.slice(skipped.span.start, skipped.span.end);
  const noun = rows === '1' ? 'row' : 'rows';
  return `To skip ${rows} ${noun}, write LIMIT ${count} OFFSET ${rows}`;
}

function parseFetch(parser: Parser): RowCount {
  const { tokens } = parser;
  tokens.take();
  tokens.take();
  // Without a number it is one row.
  const limit = isRowsAhead(tokens) ? oneRow(tokens) : parseRowCount(parser);
  if (!acceptRows(tokens)) throw tokens.unexpected('ROWS');
  tokens.expectContextual('only');
  return limit;
}

/** offset = OFFSET , rowCount , [ ROW | ROWS ] */
function parseOffset(parser: Parser): RowCount | undefined {
  if (!isOffsetAhead(parser.tokens)) return undefined;
  parser.tokens.take();
  const offset = parseRowCount(parser);
  acceptRows(parser.tokens);
  return offset;
}

function isRowsAhead(tokens: TokenStream): boolean {
  return tokens.isContextual('rows') || tokens.isContextual('row');
}

function acceptRows(tokens: TokenStream): boolean {
  return tokens.acceptContextual('rows') || tokens.acceptContextual('row');
}

function oneRow(tokens: TokenStream): RowCount {
  const span = spanOf(tokens.peek(), tokens.peek());
  return { kind: 'literal', type: 'int', value: 1, text: '1', span };
}
