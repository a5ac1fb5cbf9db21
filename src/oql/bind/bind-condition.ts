// A condition on the entries of one region, from a query parameter. It is parsed alone before it
// becomes the WHERE of a query, so it cannot inject a clause, and its errors refer to its own text.

import { syntaxError, wholeQuery } from '../errors.ts';
import type { Program } from '../syntax/ast.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import type { ParseLimits } from '../syntax/parser.ts';
import { bindQuery } from './bind-query.ts';
import type { BoundQuery } from './bound-query.ts';
import type { Catalog } from './catalog.ts';
import { selectFrom } from './plain-select.ts';

/** The name of the entry's value in a condition; its members need no name in front. */
const ALIAS = 'value';

/**
 * `SELECT * FROM /region value WHERE condition`, with the text of the condition alone. Throws an
 * OqlError when it is no condition on that region.
 */
export function bindCondition(
  text: string,
  region: string,
  catalog: Catalog,
  limits?: ParseLimits,
): BoundQuery {
  const program = parseQuery(text, limits);
  if (program.query.kind === 'select') {
    throw syntaxError(wholeQuery(text), 'A condition is expected, not a query');
  }
  const [placeholder] = program.placeholders;
  if (placeholder !== undefined) {
    throw syntaxError({ text, span: placeholder.span }, 'A condition takes no bind parameters');
  }
  return bindQuery(withCondition(program, region), catalog);
}

function withCondition(program: Program, region: string): Program {
  const { span } = wholeQuery(program.text);
  const source = { kind: 'region-path', segments: [region], span } as const;
  const iterator = { join: undefined, source, alias: ALIAS, type: undefined, span };
  return { ...program, query: selectFrom({ kind: 'iterator', ...iterator }, program.query) };
}
