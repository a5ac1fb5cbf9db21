// Bind parameters of a query execution (spec 4.8): their presence and form. The query language
// checks values against types.
//
//   [{"@type":"int","@value":17}, …]     the specification's form, for $1, $2, …
//   ["C5", 3]                            plain JSON, for $1, $2, …
//   {"customer":"C5","from":3}           plain JSON, for :customer and :from

import type { ParameterRequest } from '../../grid/index.ts';
import { type JsonKind, kindOfJson, splitArray, splitObject } from '../../value/json-text.ts';
import { badBody } from '../errors.ts';
import { refuseUnknownMembers } from './json-object.ts';

/** An array of parameters, a single typed one, or named ones; no body means none. */
export function parseBindParameters(body: string | undefined): readonly ParameterRequest[] {
  if (body === undefined) return [];
  switch (kindOfJson(body)) {
    case 'array':
      return splitArray(body).map(parseBindParameter);
    case 'object':
      return parseObject(body);
    default:
      throw badBody('Bind parameters must be a JSON array, or an object with a member per name');
  }
}

/** One parameter in the specification's form, or one per member. */
function parseObject(body: string): readonly ParameterRequest[] {
  const plain = parsePlainParameter(body);
  if (plain !== undefined) return [plain];
  const members = splitObject(body);
  if (isTyped(members)) return [toParameter(members)];
  return [...members].map(([name, json]) => ({ ...parseBindParameter(json), name }));
}

function isTyped(members: ReadonlyMap<string, string>): boolean {
  return members.has('@type') || members.has('@value') || members.has('@name');
}

/** The body of an ad-hoc query: `{"oql": TEXT, "params": bind parameters}`. */
export function parseAdhocBody(body: string): {
  readonly oql: string;
  readonly parameters: readonly ParameterRequest[];
} {
  if (kindOfJson(body) !== 'object') throw badBody('The body must be {"oql","params"}');
  const members = splitObject(body);
  refuseUnknownMembers(members.keys(), ADHOC_MEMBERS);
  const oql = members.get('oql');
  if (oql === undefined || kindOfJson(oql) !== 'string') {
    throw badBody('The body needs the member oql, a string');
  }
  const parameters = parseBindParameters(members.get('params'));
  return { oql: JSON.parse(oql) as string, parameters }; // its kind was just checked
}

const ADHOC_MEMBERS: readonly string[] = ['oql', 'params'];

function parseBindParameter(element: string): ParameterRequest {
  const kind = kindOfJson(element);
  if (kind === 'array') {
    const reason = 'Each bind parameter must be a scalar, or a {"@type","@value"} object';
    throw badBody(`${reason}; a list is {"@type":"list","@value":[…]}`);
  }
  if (kind !== 'object') {
    return { name: undefined, type: typeOfScalar(kind, element), json: element };
  }
  return parsePlainParameter(element) ?? toParameter(splitObject(element));
}

/** A plain value has the type that the same JSON has in a document. */
function typeOfScalar(kind: Exclude<JsonKind, 'array' | 'object'>, json: string): string {
  if (kind !== 'number') return kind;
  return /[.eE]/.test(json) ? 'double' : 'biginteger';
}

function toParameter(members: ReadonlyMap<string, string>): ParameterRequest {
  return {
    name: textOf(members.get('@name')),
    type: textOf(members.get('@type')),
    json: members.get('@value'),
  };
}

/**
 * Fast path for the most frequent form, `{"@type":"int","@value":17}`, without parsing the object.
 * If the value has no comma, no member follows it.
 */
function parsePlainParameter(element: string): ParameterRequest | undefined {
  if (!element.startsWith(TYPE_START)) return undefined;
  const end = element.indexOf('"', TYPE_START.length);
  if (!element.startsWith(VALUE_START, end)) return undefined;
  const type = element.slice(TYPE_START.length, end);
  const json = element.slice(end + VALUE_START.length, -1);
  return type.includes('\\') || json.includes(',') ? undefined : { name: undefined, type, json };
}

const TYPE_START = '{"@type":"';
const VALUE_START = '","@value":';

/** A string member as text; another kind as JSON, which is refused later. */
function textOf(json: string | undefined): string | undefined {
  if (json === undefined) return undefined;
  return kindOfJson(json) === 'string' ? (JSON.parse(json) as string) : json; // by its kind
}
