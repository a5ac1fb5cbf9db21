// Bind parameters by Geode's rules: `{"@type", "@value"}` with the name of a primitive type. An
// object without `@type`, or with the name of a Java class, is a Java object that equals nothing.

import type { ParameterRequest } from '../../../grid/index.ts';
import { kindOfJson, splitArray, splitObject } from '../../../value/json-text.ts';
import type { BodyLimits } from '../../request/body.ts';
import { INVALID_BODY, toJson } from './document-body.ts';
import { failOperation, refuse } from './geode-error.ts';

const NO_PARAMETER =
  'Server unable to process bind params specified as JSON document in the request!';

/** Whole numbers of Java: bits, by type. */
const BITS: ReadonlyMap<string, number> = new Map([
  ['byte', 8],
  ['short', 16],
  ['int', 32],
  ['long', 64],
]);
const FRACTIONS: readonly string[] = ['float', 'double'];
const JAVA_FRACTION = /^[+-]?(?:NaN|Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)$/;

/** Equals no value of a document. */
const OBJECT: ParameterRequest = { name: undefined, type: 'string', json: '"\\u0000"' };

export async function parseBindParameters(
  bytes: Buffer,
  limits: BodyLimits,
): Promise<readonly ParameterRequest[]> {
  const json = await toJson(bytes, limits, INVALID_BODY);
  switch (kindOfJson(json)) {
    case 'array':
      return splitArray(json).map(parseParameter);
    case 'object':
      return [parseParameter(json)];
    default:
      throw refuse('request/bad-body', 400, INVALID_BODY);
  }
}

function parseParameter(json: string): ParameterRequest {
  if (json === 'null') return { name: undefined, type: 'null', json };
  if (kindOfJson(json) !== 'object') throw refuse('request/bad-body', 400, NO_PARAMETER);
  const members = splitObject(json);
  for (const value of members.values()) {
    if (['object', 'array'].includes(kindOfJson(value))) {
      throw refuse('request/bad-body', 400, NO_PARAMETER);
    }
  }
  const type = textOf(members.get('@type'));
  return type === undefined ? OBJECT : parseTyped(type, textOf(members.get('@value')));
}

function parseTyped(type: string, value: string | undefined): ParameterRequest {
  const name = type.toLowerCase();
  const isPrimitive = BITS.has(name) || FRACTIONS.includes(name) || WORDS.includes(name);
  if (OBJECTS.includes(type)) return OBJECT;
  if (!isPrimitive) throw refuse('request/bad-body', 500, explainClass(type));
  if (value === undefined) {
    throw refuse('request/bad-body', 500, `A parameter of type (${type}) needs a value`);
  }
  return { name: undefined, type: name, json: toJavaValue(name, value) };
}

const WORDS: readonly string[] = ['boolean', 'string'];
const OBJECTS: readonly string[] = ['java.lang.Object', 'java.util.HashMap'];
/** Java classes that Geode finds but cannot construct from an object. */
const SCALARS =
  /^java\.(?:lang\.(?:Boolean|Byte|Character|Double|Float|Integer|Long|Short|String)|math\.Big(?:Decimal|Integer)|util\.Date)$/;

function explainClass(type: string): string {
  if (!SCALARS.test(type)) return `Class (${type}) could not be found!`;
  const why = `Cannot deserialize value of type \`${type}\` from Object value`;
  return `${why} (token \`JsonToken.START_OBJECT\`)\n at [Source: UNKNOWN; byte offset: #UNKNOWN]`;
}

/** The value as JSON. */
function toJavaValue(type: string, value: string): string {
  if (type === 'string') return JSON.stringify(value);
  if (type === 'boolean') return String(value.toLowerCase() === 'true');
  const bits = BITS.get(type);
  if (bits === undefined) return toFraction(value);
  const number = /^[+-]?\d{1,19}$/.test(value) ? BigInt(value.replace('+', '')) : undefined;
  if (number === undefined || BigInt.asIntN(bits, number) !== number) throw badValue();
  return String(number);
}

function toFraction(value: string): string {
  const text = value.trim();
  if (!JAVA_FRACTION.test(text)) throw badValue();
  const number = Number(text.replace(/(?<=\d|\.)[fFdD]$/, ''));
  return Number.isFinite(number) ? JSON.stringify(number) : JSON.stringify(text);
}

function badValue(): Error {
  return failOperation(
    'request/bad-body',
    'Server has encountered error (illegal or inappropriate arguments).',
  );
}

/** Geode treats scalars as texts, and null as absent. */
function textOf(json: string | undefined): string | undefined {
  if (json === undefined || json === 'null') return undefined;
  return kindOfJson(json) === 'string' ? (JSON.parse(json) as string) : json; // by its kind
}
