// CASE expressions. CASE, WHEN, THEN, ELSE and END are not reserved words, so a query may use them
// as names, and every text of the original language keeps its meaning.

import type { Case, CaseBranch, Expression } from './ast.ts';
import { endsIterator } from './parse-from.ts';
import { isOperatorAhead } from './parse-type.ts';
import { type Parser, RARE_WEIGHT } from './parser.ts';
import { spanOf } from './position.ts';
import { canStartAfterWord, canStartExpression } from './token.ts';
import type { TokenStream } from './token-stream.ts';

/**
 * Whether the next word is the CASE of an expression and not a name: it is one if the next tokens
 * could not follow a name. `case - 1`, `case.x` and the alias in `FROM case c WHERE …` are names; a
 * subject that starts with a sign needs parentheses.
 */
export function isCaseAhead(parser: Parser): boolean {
  const { tokens } = parser;
  if (!tokens.isContextual('case')) return false;
  if (isWhenAhead(tokens, 1)) return true;
  const next = tokens.peek(1);
  switch (next.kind) {
    case 'symbol':
      if (next.text === '(') return isWhenAhead(tokens, afterParenthesis(tokens, 1));
      return next.text === '$' || next.text === ':';
    case 'keyword':
      return canStartExpression(next) && !isOperatorAhead(parser, 1);
    case 'identifier':
    case 'quoted-identifier':
      return !endsIterator(tokens, 2) && !isContinued(parser);
    default:
      return canStartExpression(next);
  }
}

function isWhenAhead(tokens: TokenStream, ahead: number): boolean {
  return tokens.isContextual('when', ahead) && canStartAfterWord(tokens.peek(ahead + 1));
}

/** `case BETWEEN 1 AND 2` tests a member called case, `case between WHEN …` one called between. */
function isContinued(parser: Parser): boolean {
  if (!isOperatorAhead(parser, 1)) return false;
  return !isWhenAhead(parser.tokens, 2) && !isOperatorAhead(parser, 2);
}

/** A subject in parentheses may not be longer: each nested `case(` looks this far ahead. */
const MAX_SUBJECT_TOKENS = 2000;

/** The distance to the token after the matching parenthesis. */
function afterParenthesis(tokens: TokenStream, opening: number): number {
  let depth = 0;
  for (let ahead = opening; ; ahead++) {
    if (ahead > MAX_SUBJECT_TOKENS || tokens.peek(ahead).kind === 'end') return ahead;
    if (tokens.isSymbol('(', ahead)) depth++;
    else if (tokens.isSymbol(')', ahead)) depth--;
    if (depth === 0) return ahead + 1;
  }
}

/**
 * case = CASE , [ expr ] , WHEN , expr , THEN , expr , { WHEN , expr , THEN , expr } ,
 *        [ ELSE , expr ] , END
 */
export function parseCase(parser: Parser): Case {
  const { tokens } = parser;
  const start = tokens.expectContextual('case');
  tokens.weight += RARE_WEIGHT;
  return parser.inside('case', () => {
    parser.height = 0;
    const subject = isWhenAhead(tokens, 0) ? undefined : parser.expression();
    let childHeight = parser.height;
    const branches: CaseBranch[] = [];
    do {
      branches.push(parseBranch(parser));
      childHeight = parser.tallest(childHeight);
    } while (tokens.isContextual('when'));
    const otherwise: Expression | undefined = tokens.acceptContextual('else')
      ? parser.expression()
      : undefined;
    childHeight = parser.tallest(childHeight);
    tokens.expectContextual('end');
    const span = spanOf(start, tokens.last);
    return parser.finish({ kind: 'case', subject, branches, otherwise, span }, childHeight);
  });
}

/** WHEN , expr , THEN , expr */
function parseBranch(parser: Parser): CaseBranch {
  const { tokens } = parser;
  tokens.expectContextual('when');
  const condition = parser.expression();
  const childHeight = parser.height;
  tokens.expectContextual('then');
  const result = parser.expression();
  parser.height = parser.tallest(childHeight);
  return { condition, result };
}
