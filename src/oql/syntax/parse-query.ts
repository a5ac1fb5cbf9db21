// Whole texts and the clauses of SELECT, one function per production.

import { nearestName } from '../../value/nearest-name.ts';
import { notSupported, type OqlError, syntaxError } from '../errors.ts';
import type { Expression, Import, Program, Projection, RowOrder, SelectExpression } from './ast.ts';
import { parseExpression } from './parse-expression.ts';
import { parseFrom } from './parse-from.ts';
import { acceptBy, parseItems, parseRowOrder } from './parse-order.ts';
import { isSetOperatorAhead, parseSetOperations } from './parse-set-operation.ts';
import { isWithAhead, parseWith } from './parse-with.ts';
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
    throw syntaxError(tokens.locate(tokens.peek()), 'The query is empty');
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

const REFUSED_AFTER_QUERY: readonly string[] = ['orelse', 'andthen'];
const CLAUSES: readonly string[] = ['from', 'where', 'group', 'having', 'order', 'limit'];

/** Statements of other languages, whose first words read as names. */
const STATEMENT = /^\s*(?:insert|update|delete|upsert|merge|create|drop|alter|truncate)\b/i;

const EXPLAIN = /^\s*explain\b/i;

/** The error for text after the end of the query. */
function trailingText(tokens: TokenStream): OqlError {
  const token = tokens.peek();
  if (token.kind === 'keyword' && REFUSED_AFTER_QUERY.includes(token.text)) {
    return notSupported(tokens.locate(token), token.text.toUpperCase());
  }
  if (tokens.last.text === ';' && tokens.last.kind === 'symbol') {
    return tokens.unexpected('the end of the query', 'A text holds one query only');
  }
  if (EXPLAIN.test(tokens.text)) {
    const hint = 'The parameter explain=true of the request shows the plan';
    return tokens.unexpected('the end of the query', hint);
  }
  if (STATEMENT.test(tokens.text)) {
    const hint = 'Queries only read. Entries are written by PUT, POST, PATCH and DELETE';
    return tokens.unexpected('the end of the query', hint);
  }
  const isClause = token.kind === 'keyword' && CLAUSES.includes(token.text);
  const order = 'FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET';
  const hint = isClause ? `The clauses of a SELECT come in this order: ${order}` : undefined;
  return tokens.unexpected('the end of the query', hint);
}

/**
 * query = [ with ] , ( select | expr ) , { setOperation }
 */
function parseSelectOrExpression(parser: Parser): Expression {
  const { tokens } = parser;
  const start = tokens.peek();
  if (start.kind === 'identifier' && isWithAhead(tokens)) return parseWith(parser);
  const node = parseOneQuery(parser);
  if (!isSetOperatorAhead(tokens)) return node;
  const isBare = start.kind !== 'symbol' || start.text !== '(';
  return parseSetOperations(parser, { node, isBare }, parseOneQuery);
}

/** select | expr */
function parseOneQuery(parser: Parser): Expression {
  const { tokens } = parser;
  const { kind, text } = tokens.peek();
  const isHinted = text === '<' && kind === 'symbol' && tokens.isKeyword('hint', 1);
  const isSelect = isHinted || (text === 'select' && kind === 'keyword');
  return isSelect ? parseSelect(parser) : parseExpression(parser);
}

/**
 * select = [ hint ] , SELECT , [ DISTINCT | ALL ] , projections ,
 *          FROM , iterator , { "," , iterator | join } ,
 *          [ WHERE , expr ] ,
 *          [ GROUP , BY , expr , { "," , expr } , [ HAVING , expr ] ] ,
 *          [ ORDER , BY , sortKey , { "," , sortKey } ] ,
 *          { limit | offset }
 */
function parseSelect(parser: Parser): SelectExpression {
  const { tokens } = parser;
  const start = tokens.peek();
  const hints = parseHint(tokens);
  tokens.expectKeyword('select');
  const distinct = tokens.acceptKeyword('distinct');
  if (!distinct) tokens.acceptKeyword('all');
  refuseTop(tokens);
  // An absent clause does not change the height.
  parser.height = 0;
  const projections = parseProjections(parser);
  let childHeight = parser.height;
  tokens.expectKeyword('from');
  const from = parseFrom(parser);
  childHeight = parser.tallest(childHeight);
  // Most subqueries end here, and no clause begins with a sign.
  const clauses = tokens.peek().kind === 'symbol' ? NO_CLAUSES : parseClauses(parser);
  childHeight = parser.tallest(childHeight);
  const { where, groupBy, having, orderBy, limit, offset } = clauses;
  const span = spanOf(start, tokens.last);
  return parser.finish(
    // biome-ignore format: a line for each member would say no more
    { kind: 'select', hints, distinct, projections, from, where, groupBy, having, orderBy, limit, offset, span },
    childHeight,
  );
}

type Clauses = RowOrder & Pick<SelectExpression, 'where' | 'groupBy' | 'having'>;

const NO_CLAUSES: Clauses = {
  where: undefined,
  groupBy: [],
  having: undefined,
  orderBy: [],
  limit: undefined,
  offset: undefined,
};

/** The clauses after FROM; the height left is that of the tallest, at least that from before. */
function parseClauses(parser: Parser): Clauses {
  const { tokens } = parser;
  let childHeight = parser.height;
  const where = tokens.acceptKeyword('where') ? parser.expression() : undefined;
  childHeight = parser.tallest(childHeight);
  const groupBy = acceptBy(tokens, 'group')
    ? parseItems(parser, 'group column', (p) => p.expression())
    : [];
  childHeight = parser.tallest(childHeight);
  const having = parseHaving(parser, groupBy);
  childHeight = parser.tallest(childHeight);
  const { orderBy, limit, offset } = parseRowOrder(parser);
  parser.height = parser.tallest(childHeight);
  return { where, groupBy, having, orderBy, limit, offset };
}

/** `SELECT TOP 5 …` of other languages; TOP alone is a name. */
function refuseTop(tokens: TokenStream): void {
  const count = tokens.peek(1);
  if (!tokens.isContextual('top') || count.kind !== 'int') return;
  const hint = `Write LIMIT ${count.text} at the end of the query`;
  throw notSupported(tokens.locate(tokens.peek()), 'TOP', hint);
}

/** [ HAVING , expr ], after GROUP BY only */
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

/** projections = "*" | projection , { "," , projection } */
function parseProjections(parser: Parser): readonly Projection[] {
  if (parser.tokens.acceptSymbol('*')) return [];
  return parseItems(parser, 'projection', parseProjection);
}

/** projection = identifier , ":" , expr | expr , [ AS , identifier ] */
function parseProjection(parser: Parser): Projection {
  const { tokens } = parser;
  if (tokens.isIdentifier() && tokens.isFollowedBy(':')) {
    const alias = tokens.take().text;
    tokens.expectSymbol(':');
    const expression = parser.expression();
    return { kind: 'projection', expression, alias };
  }
  const expression = parser.expression();
  // A comma, most of the time.
  const alias = tokens.peek().kind === 'symbol' ? undefined : parseAlias(tokens);
  return { kind: 'projection', expression, alias };
}

/** [ AS , identifier ] */
function parseAlias(tokens: TokenStream): string | undefined {
  if (tokens.isIdentifier()) refuseBareAlias(tokens);
  return tokens.acceptKeyword('as') ? tokens.expectName('a name').text : undefined;
}

/** `SELECT o.id number FROM …`: common elsewhere, but here an alias needs AS. A name comes next. */
function refuseBareAlias(tokens: TokenStream): void {
  if (tokens.isContextual('when')) return;
  if (tokens.isContextual('over') && tokens.isSymbol('(', 1)) {
    const hint = 'Group rows by GROUP BY, or compare them with a subquery over the same region';
    throw notSupported(tokens.locate(tokens.peek()), 'A window function', hint);
  }
  const foreign = tokens.foreignWordHint();
  if (foreign !== undefined) throw tokens.unexpected("',' or FROM", foreign);
  if (nearestName(tokens.peek().text, ['from']) !== undefined) return;
  const hint = `A name for a projection needs AS: AS ${tokens.peek().text}`;
  throw tokens.unexpected("',' or FROM", hint);
}
