// WITH: names queries for use in the query after them. The word is not reserved.

import { notSupported, syntaxError } from '../errors.ts';
import type { Definition, With } from './ast.ts';
import type { Parser } from './parser.ts';
import { spanOf } from './position.ts';
import type { TokenStream } from './token-stream.ts';

export function isWithAhead(tokens: TokenStream): boolean {
  if (!tokens.isContextual('with') || !tokens.isIdentifier(1)) return false;
  refuseRecursion(tokens);
  return tokens.isKeyword('as', 2);
}

function refuseRecursion(tokens: TokenStream): void {
  const isRecursive = tokens.isContextual('recursive', 1) && tokens.isIdentifier(2);
  if (!isRecursive || !(tokens.isKeyword('as', 3) || tokens.isSymbol('(', 3))) return;
  const hint =
    'A query sees those defined before it, but not itself; join a level of depth at a time';
  throw notSupported(tokens.locate(tokens.peek(1)), 'WITH RECURSIVE', hint);
}

/** with = WITH , identifier , AS , "(" , query , ")" , { "," , … } , query */
export function parseWith(parser: Parser): With {
  const { tokens } = parser;
  const start = tokens.expectContextual('with');
  const definitions: Definition[] = [];
  let childHeight = 0;
  do {
    parser.countPart('definition');
    const definition = parseDefinition(parser);
    requireNewName(tokens, definition, definitions);
    definitions.push(definition);
    childHeight = parser.tallest(childHeight);
  } while (tokens.acceptSymbol(','));
  const body = parser.query();
  const span = spanOf(start, tokens.last);
  return parser.finish({ kind: 'with', definitions, body, span }, parser.tallest(childHeight));
}

function requireNewName(
  tokens: TokenStream,
  { name, span }: Definition,
  before: readonly Definition[],
): void {
  if (before.every((definition) => definition.name !== name)) return;
  throw syntaxError(tokens.locate(span), `WITH names two queries ${name}`);
}

function parseDefinition(parser: Parser): Definition {
  const { tokens } = parser;
  const name = tokens.expectIdentifier('the name of a query');
  tokens.expectKeyword('as');
  tokens.expectSymbol('(');
  const query = parser.query();
  tokens.expectSymbol(')');
  return { name: name.text, query, span: spanOf(name, tokens.last) };
}
