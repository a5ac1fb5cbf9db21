// Bind parameters in a URL, for requests that cannot have a body, such as those of a browser's
// `EventSource`. A placeholder of the text is a query parameter:
//
//   ?$1=C5&$2=3                          for $1 and $2
//   ?customer=C5&from=3                  for :customer and :from
//   ?params=["C5",3]                     the JSON that a body would have
//
// A value that is a JSON number, `true`, `false`, `null` or a string in quotes is that; anything else
// is text. So `7` is a number, and `"7"` is a text.

import type { ParameterRequest } from '../../grid/index.ts';
import { checkJson } from '../../value/json-check.ts';
import { JsonTextError } from '../../value/json-text.ts';
import { badParameter } from '../errors.ts';
import { parseBindParameters } from './bind-parameters.ts';
import { decodePart } from './decode-part.ts';
import type { QueryString } from './query-string.ts';

const PARAMS = 'params';
/** A bind parameter is a scalar, or one list of them. */
const MAX_DEPTH = 20;

/** All parameters except those with another meaning. */
export function parseUrlParameters(
  query: QueryString,
  reserved: readonly string[],
): readonly ParameterRequest[] {
  const names = [...new Set(query.names())].filter((name) => !reserved.includes(name));
  if (!names.includes(PARAMS)) return parsePlaceholders(query, names);
  if (names.length > 1) {
    throw badParameter(`Query parameter ${PARAMS} has all bind parameters, or none of them`);
  }
  return parseBindParameters(requireJson(PARAMS, query.require(PARAMS)));
}

function parsePlaceholders(
  query: QueryString,
  names: readonly string[],
): readonly ParameterRequest[] {
  const numbered = names.filter((name) => NUMBERED.test(name));
  const named = names.filter((name) => !NUMBERED.test(name));
  const inOrder = numbered.map((_, index): ParameterRequest => {
    const name = `$${index + 1}`;
    if (!numbered.includes(name)) throw badParameter(`Query parameter ${name} is missing`);
    return parseValue(query, name);
  });
  return [
    ...inOrder,
    ...named.map((name) => ({ ...parseValue(query, name), name: name.replace(/^:/, '') })),
  ];
}

const NUMBERED = /^\$\d+$/;

function parseValue(query: QueryString, name: string): ParameterRequest {
  const text = decodePart(query.raw(name) ?? '');
  const json =
    isScalar(text) || text.startsWith('{') ? requireJson(name, text) : JSON.stringify(text);
  const [parameter] = parseBindParameters(`[${json}]`);
  if (parameter === undefined) throw badParameter(`Query parameter ${name} has no value`);
  return parameter;
}

/** A number with a leading zero is not JSON, and usually a code. */
function isScalar(text: string): boolean {
  return /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|".*")$/s.test(text);
}

function requireJson(name: string, text: string): string {
  try {
    const limits = { maxDepth: MAX_DEPTH };
    return new TextDecoder().decode(checkJson(new TextEncoder().encode(text), limits));
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw badParameter(`Query parameter ${name} is not JSON: ${error.message}`);
  }
}
