// Whole texts and the clauses of SELECT, one function per production.

import { nearestName } from '../../value/nearest-name.ts';
import { notSupported, type OqlError, syntaxError } from '../errors.ts';
import type {
  Expression,
  Import,
  Iterator,
  Program,
  Projection,
  RowCount,
  SelectExpression,
  SortKey,
  TypeName,
} from './ast.ts';
import { parseExpression } from './parse-expression.ts';
import { parseNumberLiteral } from './parse-literal.ts';
import { parsePlaceholder } from './parse-primary.ts';
import { isOffsetAhead, parseType } from './parse-type.ts';
import { DEFAULT_PARSE_LIMITS, type ParseLimits, Parser } from './parser.ts';
import { spanOf } from './position.ts';
import type { TokenStream } from './token-stream.ts';

/**
 * Parses a whole text. The only failure is an OqlError with a position, whatever the text.
 *
 * program = [ "<" , TRACE , ">" ] , { import , ";" } , query , [ ";" ]
 */
export function parseQuery(text: string, limits: ParseLimits = DEFAULT_PARSE_LIMITS): Program {
  const productions = { query: parseSelectOrExpression, expression: parseExpression };
  const parser = new Parser(text, productions, limits);
  const { tokens } = parser;
  if (tokens.peek().kind === 'end') {
    throw syntaxError(tokens.place(tokens.peek()), 'The query is empty');
  }
  const trace = parseTrace(tokens);
  const imports: Import[] = [];
  while (tokens.isKeyword('import')) imports.push(parseImport(parser));
  const query = parseSelectOrExpression(parser);
  tokens.acceptSymbol(';');
  if (tokens.peek().kind !== 'end') throw trailingText(tokens);
  const { placeholders } = parser;
  return { kind: 'program', text, trace, imports, query, placeholders };
}

function parseTrace(tokens: TokenStream): boolean {
  if (!tokens.isSymbol('<') || !tokens.isKeyword('trace', 1)) return false;
  tokens.take();
  tokens.take();
  tokens.expectSymbol('>');
  return true;
}

/** import = IMPORT , identifier , { "." , identifier } , [ AS , identifier ] , ";" */
function parseImport(parser: Parser): Import {
  const { tokens } = parser;
  const start = tokens.expectKeyword('import');
  const path = [tokens.expectIdentifier('the name of a type').text];
  while (tokens.acceptSymbol('.')) path.push(tokens.expectIdentifier('a name').text);
  const alias = tokens.acceptKeyword('as') ? tokens.expectIdentifier('a name').text : undefined;
  const span = spanOf(start, tokens.last);
  tokens.expectSymbol(';');
  parser.importedTypes.add(alias ?? path.at(-1) ?? '');
  return { kind: 'import', path, alias, span };
}

const REFUSED_BEHIND: readonly string[] = ['union', 'except', 'intersect', 'orelse', 'andthen'];
const CLAUSES: readonly string[] = ['from', 'where', 'group', 'having', 'order', 'limit'];

/** The error for text behind the end of the query. */
function trailingText(tokens: TokenStream): OqlError {
  const token = tokens.peek();
  if (token.kind === 'keyword' && REFUSED_BEHIND.includes(token.text)) {
    return notSupported(tokens.place(token), token.text.toUpperCase());
  }
  if (tokens.last.text === ';' && tokens.last.kind === 'symbol') {
    return tokens.unexpected('the end of the query', 'A text holds one query only');
  }
  const isClause = token.kind === 'keyword' && CLAUSES.includes(token.text);
  const order = 'FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET';
  const hint = isClause ? `The clauses of a SELECT come in this order: ${order}` : undefined;
  return tokens.unexpected('the end of the query', hint);
}

/** query = select | expr */
function parseSelectOrExpression(parser: Parser): Expression {
  const { tokens } = parser;
  const isHinted = tokens.isSymbol('<') && tokens.isKeyword('hint', 1);
  return isHinted || tokens.isKeyword('select') ? parseSelect(parser) : parseExpression(parser);
}

/**
 * select = [ hint ] , SELECT , [ DISTINCT | ALL ] , projections ,
 *          FROM , iterator , { "," , iterator } ,
 *          [ WHERE , expr ] ,
 *          [ GROUP , BY , expr , { "," , expr } , [ HAVING , expr ] ] ,
 *          [ ORDER , BY , sortKey , { "," , sortKey } ] ,
 *          [ LIMIT , rowCount ] , [ OFFSET , rowCount ]
 */
function parseSelect(parser: Parser): SelectExpression {
  const { tokens } = parser;
  const start = tokens.peek();
  const hints = parseHint(tokens);
  tokens.expectKeyword('select');
  const distinct = tokens.acceptKeyword('distinct');
  if (!distinct) tokens.acceptKeyword('all');
  // A clause that is absent leaves the height as it is.
  parser.height = 0;
  const projections = parseProjections(parser);
  let below = parser.height;
  tokens.expectKeyword('from');
  const from = parseList(parser, parseIterator);
  below = parser.tallest(below);
  const where = tokens.acceptKeyword('where') ? parser.expression() : undefined;
  below = parser.tallest(below);
  const groupBy = acceptBy(tokens, 'group') ? parseList(parser, (p) => p.expression()) : [];
  below = parser.tallest(below);
  const having = parseHaving(parser, groupBy);
  below = parser.tallest(below);
  const orderBy = acceptBy(tokens, 'order') ? parseList(parser, parseSortKey) : [];
  below = parser.tallest(below);
  const limit = tokens.acceptKeyword('limit') ? parseRowCount(parser) : undefined;
  const offset = parseOffset(parser);
  const span = spanOf(start, tokens.last);
  const rows = { hints, distinct, projections, from, where } as const;
  const select = {
    kind: 'select',
    ...rows,
    groupBy,
    having,
    orderBy,
    limit,
    offset,
    span,
  } as const;
  return parser.finish(select, below);
}

/** [ HAVING , expr ], behind GROUP BY only */
function parseHaving(parser: Parser, groupBy: readonly Expression[]): Expression | undefined {
  const { tokens } = parser;
  if (!tokens.isKeyword('having')) return undefined;
  if (groupBy.length === 0) {
    throw tokens.unexpected('the end of the query', 'HAVING needs GROUP BY before it');
  }
  tokens.take();
  return parser.expression();
}

/** hint = "<" , HINT , STRING , { "," , STRING } , ">" */
function parseHint(tokens: TokenStream): readonly string[] {
  const hints: string[] = [];
  if (!tokens.acceptSymbol('<')) return hints;
  tokens.expectKeyword('hint');
  do hints.push(tokens.expectString('the name of an index as a string').text);
  while (tokens.acceptSymbol(','));
  tokens.expectSymbol('>');
  return hints;
}

/** item , { "," , item }; the height left is that of the tallest */
function parseList<T>(parser: Parser, parseItem: (parser: Parser) => T): readonly T[] {
  const items = [parseItem(parser)];
  let below = parser.height;
  while (parser.tokens.acceptSymbol(',')) {
    items.push(parseItem(parser));
    below = parser.tallest(below);
  }
  parser.height = below;
  return items;
}

/** projections = "*" | projection , { "," , projection } */
function parseProjections(parser: Parser): readonly Projection[] {
  return parser.tokens.acceptSymbol('*') ? [] : parseList(parser, parseProjection);
}

/** projection = identifier , ":" , expr | expr , [ AS , identifier ] */
function parseProjection(parser: Parser): Projection {
  const { tokens } = parser;
  const start = tokens.peek();
  if (tokens.isIdentifier() && tokens.isSymbol(':', 1)) {
    const alias = tokens.take().text;
    tokens.expectSymbol(':');
    const expression = parser.expression();
    return { kind: 'projection', expression, alias, span: spanOf(start, tokens.last) };
  }
  const expression = parser.expression();
  refuseBareAlias(tokens);
  const alias = tokens.acceptKeyword('as') ? tokens.expectIdentifier('a name').text : undefined;
  return { kind: 'projection', expression, alias, span: spanOf(start, tokens.last) };
}

/** `SELECT o.id number FROM …`: common elsewhere, but here an alias needs AS. */
function refuseBareAlias(tokens: TokenStream): void {
  if (!tokens.isIdentifier() || tokens.isContextual('when')) return;
  if (nearestName(tokens.peek().text, ['from']) !== undefined) return;
  const hint = `A name for a projection needs AS: AS ${tokens.peek().text}`;
  throw tokens.unexpected("',' or FROM", hint);
}

/**
 * iterator = identifier , IN , expr , [ TYPE , type ]
 *          | expr , [ [ AS ] , identifier ] , [ TYPE , type ]
 */
function parseIterator(parser: Parser): Iterator {
  const { tokens } = parser;
  const start = tokens.peek();
  if (tokens.isIdentifier() && tokens.isKeyword('in', 1)) {
    const alias = tokens.take().text;
    tokens.take();
    const source = parser.expression();
    const type = parseIteratorType(parser);
    return { kind: 'iterator', source, alias, type, span: spanOf(start, tokens.last) };
  }
  const source = parser.expression();
  const alias = parseIteratorAlias(tokens);
  const type = parseIteratorType(parser);
  return { kind: 'iterator', source, alias, type, span: spanOf(start, tokens.last) };
}

function parseIteratorAlias(tokens: TokenStream): string | undefined {
  if (tokens.acceptKeyword('as')) return tokens.expectIdentifier('the name of an iterator').text;
  if (!tokens.isIdentifier() || isOffsetAhead(tokens)) return undefined;
  refuseJoin(tokens);
  const alias = tokens.take().text;
  refuseJoin(tokens);
  return alias;
}

/** `/a JOIN /b`: the word cannot be an alias, since something else than a clause follows. */
function refuseJoin(tokens: TokenStream): void {
  const word = tokens.peek();
  const isFollowed = tokens.isIdentifier(1) || tokens.isSymbol('/', 1);
  if (word.kind !== 'identifier' || !isJoinWord(word.text) || !isFollowed) return;
  const hint = 'List the regions and compare them: FROM /a x, /b y WHERE x.id = y.id';
  throw notSupported(tokens.place(word), 'JOIN', hint);
}

function isJoinWord(word: string): boolean {
  return ['join', 'inner', 'left', 'right', 'full', 'cross', 'natural'].includes(
    word.toLowerCase(),
  );
}

function parseIteratorType(parser: Parser): TypeName | undefined {
  return parser.tokens.acceptKeyword('type') ? parseType(parser) : undefined;
}

function acceptBy(tokens: TokenStream, keyword: 'group' | 'order'): boolean {
  if (!tokens.acceptKeyword(keyword)) return false;
  tokens.expectKeyword('by');
  return true;
}

/** sortKey = expr , [ ASC | DESC ] */
function parseSortKey(parser: Parser): SortKey {
  const { tokens } = parser;
  const expression = parser.expression();
  const isDescending = tokens.acceptKeyword('desc');
  if (!isDescending) tokens.acceptKeyword('asc');
  const span = spanOf(expression.span, tokens.last);
  return { kind: 'sort-key', expression, direction: isDescending ? 'desc' : 'asc', span };
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
