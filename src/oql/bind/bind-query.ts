// The entry point of this folder: binds a syntax tree to a catalog.

import type { Program } from '../syntax/ast.ts';
import { bindExpression } from './bind-expression.ts';
import { bindQueryExpression } from './bind-query-expression.ts';
import { Binder } from './binder.ts';
import type { BoundQuery } from './bound-query.ts';
import type { Catalog } from './catalog.ts';
import { regionsOf } from './references.ts';

/** Resolves the names of a query against the catalog. Fails with an OqlError only. */
export function bindQuery(program: Program, catalog: Catalog): BoundQuery {
  const binder = new Binder(program, catalog, bindQueryExpression);
  const body = bindExpression(binder, program.query, undefined);
  return {
    text: program.text,
    body,
    parameters: binder.parameters,
    regions: regionsOf(body),
  };
}
