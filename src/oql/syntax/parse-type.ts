// Parses type names, and decides whether parentheses contain one.

import type { TypeName } from './ast.ts';
import { countJoinWords } from './join-words.ts';
import type { Parser } from './parser.ts';
import { spanOf } from './position.ts';
import { canStartAfterWord, canStartExpression } from './token.ts';
import type { TokenStream } from './token-stream.ts';

const PRIMITIVE_TYPES: ReadonlySet<string> = new Set(
  'short long int float double char string boolean byte octet date time timestamp'.split(' '),
);
const COLLECTION_TYPES: ReadonlySet<string> = new Set(['set', 'collection', 'list', 'array']);
const MAP_TYPES: ReadonlySet<string> = new Set(['map', 'dictionary']);
/** Classes that are known without IMPORT and whose names are not reserved words anyway. */
const KNOWN_CLASSES: ReadonlySet<string> = new Set(['Object', 'Integer', 'Character', 'Number']);

/** Whether a type name of one word is built in. */
export function isBuiltInType(name: string): boolean {
  return (
    PRIMITIVE_TYPES.has(name) ||
    COLLECTION_TYPES.has(name) ||
    MAP_TYPES.has(name) ||
    KNOWN_CLASSES.has(name)
  );
}

/**
 * type = primitive | identifier
 *      | ( SET | COLLECTION | LIST | ARRAY ) , "<" , type , ">"
 *      | ( MAP | DICTIONARY ) , "<" , type , "," , type , ">"
 */
export function parseType(parser: Parser): TypeName {
  const { tokens } = parser;
  const name = tokens.peek();
  if (name.kind === 'keyword' && (COLLECTION_TYPES.has(name.text) || MAP_TYPES.has(name.text))) {
    tokens.take();
    return parseTypeParameters(parser, name.text, name.start);
  }
  if (!tokens.isIdentifier() && !(name.kind === 'keyword' && PRIMITIVE_TYPES.has(name.text))) {
    throw tokens.unexpected('a type');
  }
  tokens.take();
  return { kind: 'type', name: name.text, parameters: [], span: spanOf(name, name) };
}

function parseTypeParameters(parser: Parser, name: string, start: number): TypeName {
  const { tokens } = parser;
  tokens.expectSymbol('<');
  const parameters = [parser.nestedType(parseType)];
  if (MAP_TYPES.has(name)) {
    tokens.expectSymbol(',');
    parameters.push(parser.nestedType(parseType));
  }
  const { end } = tokens.expectSymbol('>');
  return { kind: 'type', name, parameters, span: { start, end } };
}

/** Whether the parenthesis that comes next is a cast. Looks at most four tokens ahead. */
export function isCastAhead(parser: Parser): boolean {
  const { tokens } = parser;
  if (!tokens.isSymbol('(')) return false;
  const name = tokens.peek(1);
  if (name.kind === 'keyword') {
    const isParametrised = COLLECTION_TYPES.has(name.text) || MAP_TYPES.has(name.text);
    // None of these words can start an expression with this continuation.
    return isParametrised
      ? tokens.isSymbol('<', 2)
      : PRIMITIVE_TYPES.has(name.text) && tokens.isSymbol(')', 2);
  }
  return tokens.isIdentifier(1) && tokens.isSymbol(')', 2) && isCastOperand(parser, name.text);
}

/**
 * Whether the tokens after `(name)` make it a cast. If they could also be an operator, such as the
 * sign of `(a) - 1`, it is a cast only for a known type.
 */
function isCastOperand(parser: Parser, name: string): boolean {
  const { tokens } = parser;
  const isKnown = parser.importedTypes.has(name) || KNOWN_CLASSES.has(name);
  if (tokens.isSymbol('+', 3) || tokens.isSymbol('-', 3)) return isKnown;
  if (tokens.isSymbol('/', 3)) return isKnown && isTightSlash(tokens, 3);
  return canStartExpression(tokens.peek(3)) && !isOperatorAhead(parser, 3);
}

/** A slash with something right after it can be the start of a region path. */
function isTightSlash(tokens: TokenStream, ahead: number): boolean {
  return !/^\s|^$/u.test(tokens.text.charAt(tokens.peek(ahead).end));
}

/** Words of our extensions that continue an expression although they could start one. */
export function isOperatorAhead(parser: Parser, ahead: number): boolean {
  const { tokens } = parser;
  if (tokens.isKeyword('not', ahead)) return isNegatedOperator(tokens, ahead + 1);
  if (parser.isIn('case') && CASE_WORDS.some((word) => tokens.isContextual(word, ahead)))
    return true;
  if (parser.isIn('from') && countJoinWords(tokens, ahead) > 0) return true;
  return (
    isBetweenAhead(tokens, ahead) ||
    isLikeAhead(tokens, ahead) ||
    isIsNullAhead(tokens, ahead) ||
    isNullsAhead(tokens, ahead) ||
    isOffsetAhead(tokens, ahead) ||
    isFetchAhead(tokens, ahead)
  );
}

/** NULLS FIRST and NULLS LAST after a sort key. */
function isNullsAhead(tokens: TokenStream, ahead: number): boolean {
  if (!tokens.isContextual('nulls', ahead)) return false;
  return tokens.isKeyword('first', ahead + 1) || tokens.isKeyword('last', ahead + 1);
}

const CASE_WORDS = ['when', 'then', 'else', 'end'];

function isNegatedOperator(tokens: TokenStream, ahead: number): boolean {
  return (
    tokens.isKeyword('in', ahead) || isLikeAhead(tokens, ahead) || isBetweenAhead(tokens, ahead)
  );
}

/**
 * BETWEEN continues an expression if a bound follows; otherwise it is a name, for example an alias.
 */
export function isBetweenAhead(tokens: TokenStream, ahead = 0): boolean {
  return tokens.isContextual('between', ahead) && canStartAfterWord(tokens.peek(ahead + 1));
}

/** LIKE, or ILIKE with a pattern after it. */
export function isLikeAhead(tokens: TokenStream, ahead: number): boolean {
  if (tokens.isKeyword('like', ahead)) return true;
  return tokens.isContextual('ilike', ahead) && canStartAfterWord(tokens.peek(ahead + 1));
}

export function isIsNullAhead(tokens: TokenStream, ahead = 0): boolean {
  if (!tokens.isContextual('is', ahead)) return false;
  if (tokens.isKeyword('null', ahead + 1) || tokens.isKeyword('not', ahead + 1)) return true;
  return isTypeWord(tokens.peek(ahead + 1).text) && !tokens.isSymbol('(', ahead + 2);
}

/** The words after IS that test for a kind of values. */
const TYPE_WORDS: ReadonlySet<string> = new Set(
  `number string text boolean char date timestamp list array set collection map document object
  integer double missing undefined`.split(/\s+/u),
);

function isTypeWord(word: string): boolean {
  return TYPE_WORDS.has(word.toLowerCase());
}

export function takeTypeWord(tokens: TokenStream): string {
  const { kind, text } = tokens.peek();
  const isWord = (kind === 'identifier' || kind === 'keyword') && isTypeWord(text);
  if (!isWord) throw tokens.unexpected('NULL or a type such as NUMBER, STRING or LIST');
  return tokens.take().text.toLowerCase();
}

/** `FETCH FIRST 5 ROWS ONLY`, which is LIMIT 5; otherwise FETCH is a name. */
export function isFetchAhead(tokens: TokenStream, ahead = 0): boolean {
  if (!tokens.isContextual('fetch', ahead)) return false;
  return tokens.isKeyword('first', ahead + 1) || tokens.isContextual('next', ahead + 1);
}

/** OFFSET is a clause if a number of rows follows; otherwise it is a name, for example an alias. */
export function isOffsetAhead(tokens: TokenStream, ahead = 0): boolean {
  if (!tokens.isContextual('offset', ahead)) return false;
  const next = tokens.peek(ahead + 1);
  return (
    next.kind === 'int' || (next.kind === 'symbol' && (next.text === '$' || next.text === ':'))
  );
}
