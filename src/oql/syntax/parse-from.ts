// FROM: iterators separated by commas, and joins. JOIN, LEFT, ON and the others are not reserved
// words: each is a name unless a join follows.

import type { Iterator, TypeName } from './ast.ts';
import { type JoinWords, joinAhead, ON_HINT } from './join-words.ts';
import { isFetchAhead, isOffsetAhead, parseType } from './parse-type.ts';
import type { Parser } from './parser.ts';
import { type Span, spanOf } from './position.ts';
import type { TokenStream } from './token-stream.ts';

/** iterator , { "," , iterator | join }; the height left is that of the tallest */
export function parseFrom(parser: Parser): readonly Iterator[] {
  return parser.inside('from', () => parseIterators(parser));
}

function parseIterators(parser: Parser): readonly Iterator[] {
  const { tokens } = parser;
  const iterators = [parseIterator(parser)];
  let childHeight = parser.height;
  for (;;) {
    if (tokens.acceptSymbol(',')) {
      iterators.push(parseIterator(parser));
    } else {
      const join = joinAhead(tokens);
      if (join === undefined) break;
      iterators.push(parseJoin(parser, join));
    }
    childHeight = parser.tallest(childHeight);
  }
  parser.height = childHeight;
  return iterators;
}

const NO_ON_HINT = `${ON_HINT}. Without one it is a CROSS JOIN`;

/**
 * join = ( [ INNER ] | LEFT , [ OUTER ] ) , JOIN , iterator , ON , expr
 *      | CROSS , JOIN , iterator
 */
function parseJoin(parser: Parser, { kind, words }: JoinWords): Iterator {
  const { tokens } = parser;
  const start = tokens.peek();
  for (let word = 0; word < words; word += 1) tokens.take();
  const iterator = parseIterator(parser, kind === 'cross' ? 'listed' : 'joined');
  if (kind === 'cross') return iterator;
  const childHeight = parser.height;
  if (!tokens.isContextual('on')) throw tokens.unexpected('ON', NO_ON_HINT);
  tokens.take();
  const on = parser.expression();
  parser.height = parser.tallest(childHeight);
  const span = spanOf(start, tokens.last);
  return { ...iterator, join: { kind, on, span }, span };
}

/**
 * iterator = identifier , IN , expr , [ TYPE , type ]
 *          | expr , [ [ AS ] , identifier ] , [ TYPE , type ]
 */
function parseIterator(parser: Parser, role: 'listed' | 'joined' = 'listed'): Iterator {
  const { tokens } = parser;
  parser.countPart('source');
  const start = tokens.peek();
  const isName = start.kind === 'identifier' || start.kind === 'quoted-identifier';
  if (isName && tokens.isKeyword('in', 1)) {
    const alias = tokens.take().text;
    tokens.take();
    const source = parser.expression();
    const type = parseIteratorType(parser);
    const span = spanOf(start, tokens.last);
    return { kind: 'iterator', join: undefined, source, alias, type, span };
  }
  const source = parser.expression();
  // Usually a comma, in a long list.
  const isBare = tokens.peek().kind === 'symbol';
  const alias = isBare ? undefined : parseIteratorAlias(tokens, role);
  const type = isBare ? undefined : parseIteratorType(parser);
  const span = sharedSpan(source.span, start.start, tokens.last.end);
  return { kind: 'iterator', join: undefined, source, alias, type, span };
}

/** The span itself if it has these ends, so that a source without alias and type needs no other. */
function sharedSpan(span: Span, start: number, end: number): Span {
  return span.start === start && span.end === end ? span : { start, end };
}

function parseIteratorAlias(tokens: TokenStream, role: 'listed' | 'joined'): string | undefined {
  if (tokens.acceptKeyword('as')) return tokens.expectIdentifier('the name of an iterator').text;
  const isOn = role === 'joined' && isOnAhead(tokens);
  const isAlias = tokens.isIdentifier() && !isOffsetAhead(tokens) && !isFetchAhead(tokens) && !isOn;
  return isAlias && joinAhead(tokens) === undefined ? tokens.take().text : undefined;
}

/** ON with a condition after it, as no alias has. */
function isOnAhead(tokens: TokenStream): boolean {
  return tokens.isContextual('on') && !endsIterator(tokens, 1);
}

const CLAUSE_WORDS: ReadonlySet<string> = new Set([
  ...['where', 'group', 'order', 'limit', 'type', 'union', 'except', 'intersect'],
]);

/** Whether an iterator ends before this token. Words that are not reserved do not count. */
export function endsIterator(tokens: TokenStream, ahead: number): boolean {
  const { kind, text } = tokens.peek(ahead);
  if (kind === 'symbol') return text === ',' || text === ')' || text === ';';
  return kind === 'end' || (kind === 'keyword' && CLAUSE_WORDS.has(text));
}

function parseIteratorType(parser: Parser): TypeName | undefined {
  return parser.tokens.acceptKeyword('type') ? parseType(parser) : undefined;
}
