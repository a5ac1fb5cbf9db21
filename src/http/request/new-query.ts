// A named query in a JSON body: `{"id": ID, "oql": TEXT}`; the text may also be called `q`, like
// the parameter.

import { badBody, badParameter } from '../errors.ts';
import { JsonObject } from './json-object.ts';

const MEMBERS = ['id', 'oql', 'q'];

/** `parameters` are those of the URL; the rest must be in the body, and nothing may be in both. */
export function parseNewQuery(
  body: string | undefined,
  parameters: Readonly<Record<'id' | 'oql', string | undefined>>,
): { readonly id: string; readonly oql: string } {
  const members = body === undefined ? undefined : new JsonObject(body, MEMBERS);
  const texts = [parameters.oql, members?.optionalString('oql'), members?.optionalString('q')];
  const id = pickOne('id', [parameters.id, members?.optionalString('id')]);
  const oql = pickOne('q, the OQL text,', texts);
  if (oql.trim() === '') throw badBody('The OQL text is empty');
  return { id, oql };
}

function pickOne(name: string, values: readonly (string | undefined)[]): string {
  const [value, ...others] = values.filter((text) => text !== undefined);
  if (others.length > 0) throw badBody(`More than one ${name} is given`);
  if (value !== undefined && value !== '') return value;
  throw badParameter(
    `Query parameter ${name} is missing; a body {"id","oql"} may give both instead`,
  );
}
