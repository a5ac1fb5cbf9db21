// Bodies that hold documents. Geode has several messages for a bad body, depending on how far it
// could read.

import { kindOfJson, splitArray, splitObject } from '../../../value/json-text.ts';
import { RequestError } from '../../errors.ts';
import type { ApiRequest } from '../../request/api-request.ts';
import { type BodyLimits, oneDeeper, toJsonText } from '../../request/body.ts';
import { failOperation, refuse } from './geode-error.ts';

const CONTROLLER = 'org.apache.geode.rest.internal.web.controllers.PdxBasedCrudController';
const STRING = 'java.lang.String';

/** Geode's message names the method whose body is missing. */
export const METHODS: Readonly<Record<'create' | 'path' | 'parameter', string>> = {
  create: `${CONTROLLER}.create(${STRING},${STRING},${STRING})`,
  path: `${CONTROLLER}.update(${STRING},${STRING}[],${STRING},${STRING},javax.servlet.http.HttpServletRequest)`,
  parameter: `${CONTROLLER}.updateKeys(${STRING},${STRING}[],${STRING},${STRING})`,
};

const NOT_A_DOCUMENT = 'Json doc specified is either not supported or invalid!';
const NOT_JSON = 'JSON document specified in the request is incorrect';
export const INVALID_BODY = 'Json document specified in request body is not valid!';
const BAD_COMPARISON = 'Json doc specified in request body is invalid!';
const WRONG_COUNT =
  'Each key must have corresponding value (JSON document) specified in the request';

export async function requireBytes(
  request: ApiRequest,
  limits: BodyLimits,
  method: string,
): Promise<Buffer> {
  const bytes = await request.readBytes(limits);
  if (bytes !== undefined) return bytes;
  throw missingBody(`org.springframework.http.ResponseEntity<?> ${method}`);
}

export function missingBody(signature: string): Error {
  return refuse('request/no-body', 500, `Required request body is missing: public ${signature}`);
}

/** One document, or an array of documents, as compact JSON. */
export async function parseDocument(
  bytes: Buffer,
  limits: BodyLimits,
  region: string,
): Promise<string> {
  const start = firstToken(bytes, region);
  const json = await toJson(bytes, limits, start === 'array' ? INVALID_BODY : NOT_A_DOCUMENT);
  if (start === 'array') splitArray(json).forEach(requireObject);
  else requireObject(json);
  return json;
}

/** The same for operations that take no array. */
export async function parseSingleDocument(
  bytes: Buffer,
  limits: BodyLimits,
  region: string,
): Promise<string> {
  firstToken(bytes, region);
  const json = await toJson(bytes, limits, NOT_A_DOCUMENT);
  requireObject(json);
  return json;
}

/** One document for each key. */
export async function parseDocuments(
  bytes: Buffer,
  limits: BodyLimits,
  count: number,
): Promise<readonly string[]> {
  if (isBlank(bytes)) throw badJson(WRONG_COUNT);
  const json = await toJson(bytes, oneDeeper(limits), NOT_JSON);
  const values = kindOfJson(json) === 'array' ? splitArray(json) : [];
  if (values.length !== count) throw badJson(WRONG_COUNT);
  values.forEach(requireObject);
  return values;
}

/** `{"@old": document, "@new": document}`. */
export async function parseComparison(
  bytes: Buffer,
  limits: BodyLimits,
): Promise<{ readonly expected: string; readonly value: string }> {
  if (isBlank(bytes)) throw badJson(BAD_COMPARISON);
  firstToken(bytes, '');
  const json = await toJson(bytes, oneDeeper(limits), BAD_COMPARISON);
  const members = kindOfJson(json) === 'object' ? splitObject(json) : new Map<string, string>();
  const expected = members.get('@old');
  const value = members.get('@new');
  if (expected === undefined || value === undefined) throw badJson(BAD_COMPARISON);
  requireObject(expected);
  requireObject(value);
  return { expected, value };
}

const FIRST_TOKEN = /^(?:\{|(\[)|["\d-]|(?:true|false|null)(?![\w$]))/;
/** Enough for the longest token that is checked. */
const LOOKED_AT = 8;

/** Geode checks the first token before anything else. */
function firstToken(bytes: Buffer, region: string): 'array' | 'other' {
  const start = bytes.findIndex((byte) => !BLANKS.includes(byte));
  if (start < 0) {
    const text = `Resource (${region}) configuration does not allow null keys or values!`;
    throw failOperation('request/no-body', text);
  }
  const token = FIRST_TOKEN.exec(bytes.toString('latin1', start, start + LOOKED_AT));
  if (token === null) throw badJson(NOT_JSON);
  return token[1] === undefined ? 'other' : 'array';
}

const BLANKS: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => BLANKS.includes(byte));
}

/** Compact JSON; a malformed one is refused with Geode's text. */
export async function toJson(bytes: Buffer, limits: BodyLimits, reason: string): Promise<string> {
  try {
    return await toJsonText(bytes, limits);
  } catch (error) {
    if (error instanceof RequestError && error.code === 'request/bad-json') {
      throw badJson(reason);
    }
    throw error;
  }
}

function requireObject(json: string): void {
  if (kindOfJson(json) !== 'object') throw badJson(NOT_A_DOCUMENT);
}

function badJson(text: string): Error {
  return refuse('request/bad-json', 400, text);
}
