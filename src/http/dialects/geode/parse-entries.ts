// Requests about regions and entries, from Geode's form to intents.

import type { AddEntry, IntentOf, ReadRegion, RemoveEntries } from '../../intent/intent.ts';
import { decodePart } from '../../request/decode-part.ts';
import type { Parse, RoutedRequest } from '../../request/routed-request.ts';
import { answerBadRequest, type GeodeError, refuse } from './geode-error.ts';
import type { GeodeReadEntries, GeodeWriteEntries, GivenKeys } from './geode-intent.ts';
import { requireJsonAnswer, requireJsonBody } from './negotiation.ts';
import { hasText, listParameter, splitList, textParameter } from './parameters.ts';
import { decodeAgain } from './url-decoding.ts';

/** Geode's own; the service's default may differ. */
const GEODE_DEFAULT_LIMIT = 50;
const MAX_INT = 2 ** 31 - 1;

/** The name of a region is decoded twice. */
function regionOf({ segments }: RoutedRequest): string {
  return decodeAgain(decodePart(segments[0] ?? ''));
}

/** For requests that are refused unless the client takes JSON, before anything else is checked. */
export function acceptingJson<I>(parse: Parse<I>): Parse<I> {
  return (request, limits) => {
    requireJsonAnswer(request.headers);
    return parse(request, limits);
  };
}

export function ofRegion<K extends string>(
  kind: K,
): Parse<{ readonly kind: K; readonly region: string }> {
  return (request) => ({ kind, region: regionOf(request) });
}

/** Without keys, or with an empty list, reads the region. */
export const parseReadRegion: Parse<ReadRegion | GeodeReadEntries> = (request) => {
  const givenKeys = listParameter(request.query, 'keys') ?? [];
  if (givenKeys.length > 0) {
    return toReadEntries(request, { keysIn: 'parameter', givenKeys });
  }
  const limit = parseLimit(textParameter(request.query, 'limit'));
  return { kind: 'read-region', region: regionOf(request), limit };
};

export const parseReadEntries: Parse<GeodeReadEntries> = (request) =>
  toReadEntries(request, { keysIn: 'path', givenKeys: keysOfPath(request) });

export const parseAddEntry: Parse<AddEntry> = (request) => {
  requireJsonBody(request.headers);
  requireJsonAnswer(request.headers);
  const key = textParameter(request.query, 'key');
  return {
    kind: 'add-entry',
    region: regionOf(request),
    key: hasText(key) ? key : undefined,
    preconditions: [],
  };
};

export const parsePutEntries: Parse<GeodeWriteEntries> = (request) =>
  toWriteEntries(request, { keysIn: 'path', givenKeys: keysOfPath(request) });

/** `/{region}/keys` lists keys with GET alone; other methods mean the key `keys`. */
export const parsePutKeyNamedKeys: Parse<GeodeWriteEntries> = (request) =>
  toWriteEntries(request, { keysIn: 'path', givenKeys: ['keys'] });

export const parsePutByParameter: Parse<GeodeWriteEntries> = (request) => {
  requireJsonBody(request.headers);
  const givenKeys = listParameter(request.query, 'keys');
  if (givenKeys === undefined) throw missingParameter('keys', 'String[]');
  if (givenKeys.length === 0) {
    throw refuse('request/bad-keys', 500, 'Index 0 out of bounds for length 0');
  }
  return toWriteEntries(request, { keysIn: 'parameter', givenKeys });
};

export const parseDeleteEntries: Parse<RemoveEntries> = (request) =>
  toRemoveEntries(request, keysOfPath(request));

export const parseDeleteKeyNamedKeys: Parse<RemoveEntries> = (request) =>
  toRemoveEntries(request, ['keys']);

export const parseDeleteRegion: Parse<RemoveEntries | IntentOf<'clear-region'>> = (request) => {
  const givenKeys = listParameter(request.query, 'keys') ?? [];
  if (givenKeys.length > 0) return toRemoveEntries(request, givenKeys.map(decodeAgain));
  return { kind: 'clear-region', region: regionOf(request) };
};

export function missingParameter(name: string, type: 'String' | 'String[]'): GeodeError {
  return refuse(
    'request/bad-parameter',
    500,
    `Required request parameter '${name}' for method parameter type ${type} is not present`,
  );
}

function keysOfPath({ segments }: RoutedRequest): readonly string[] {
  const keys = splitList(decodePart(segments[1] ?? ''));
  return keys.length === 0 ? [''] : keys;
}

/** Those of `?keys=` are decoded a second time. */
function keysOf({ givenKeys, keysIn }: GivenKeys): readonly string[] {
  return keysIn === 'parameter' ? givenKeys.map(decodeAgain) : givenKeys;
}

function toReadEntries(request: RoutedRequest, given: GivenKeys): GeodeReadEntries {
  const keys = keysOf(given);
  return {
    kind: 'read-entries',
    region: regionOf(request),
    keys,
    ...given,
    missing: keys.length > 1 && ignoresMissing(request) ? 'ignored' : 'refused',
    ifNoneMatch: undefined,
  };
}

/** Returns the error for an invalid limit, which is thrown after the region was found. */
function parseLimit(value: string | undefined): ReadRegion['limit'] {
  if (!hasText(value)) return GEODE_DEFAULT_LIMIT;
  if (value.toUpperCase() === 'ALL') return 'ALL';
  const limit = /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (limit >= 0 && limit <= MAX_INT) return limit;
  const isNegative = limit < 0 && limit >= -MAX_INT - 1;
  const text = `${isNegative ? 'Negative limit' : 'limit'} param (${value}) is not valid!`;
  return answerBadRequest('request/bad-limit', text);
}

/** Applies to several keys only. */
function ignoresMissing({ query }: RoutedRequest): boolean {
  const value = textParameter(query, 'ignoreMissingKey');
  if (value === undefined) return false;
  const word = value.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  throw answerBadRequest(
    'request/bad-flag',
    `ignoreMissingKey param (${value}) is not valid. valid usage is ignoreMissingKey=true!`,
  );
}

/** CREATE is for keys in `?keys=` alone. */
const OPERATIONS = {
  path: { words: ['PUT', 'REPLACE', 'CAS'], listed: 'PUT, REPLACE, or CAS' },
  parameter: { words: ['PUT', 'CREATE', 'REPLACE', 'CAS'], listed: 'PUT, CREATE, REPLACE, or CAS' },
} as const;

function toWriteEntries(request: RoutedRequest, given: GivenKeys): GeodeWriteEntries {
  requireJsonBody(request.headers);
  requireJsonAnswer(request.headers);
  const op = textParameter(request.query, 'op');
  const { listed, words } = OPERATIONS[given.keysIn];
  const operation = hasText(op) ? words.find((word) => word === op.toUpperCase()) : 'PUT';
  if (operation === undefined) {
    throw answerBadRequest(
      'request/bad-operation',
      `The op parameter (${op}) is not valid. Valid values are ${listed}.`,
    );
  }
  const keys = keysOf(given);
  return {
    kind: 'write-entries',
    region: regionOf(request),
    keys,
    ...given,
    // Several keys are always put.
    operation: keys.length > 1 ? 'PUT' : operation,
    preconditions: [],
  };
}

function toRemoveEntries(request: RoutedRequest, keys: readonly string[]): RemoveEntries {
  return { kind: 'remove-entries', region: regionOf(request), keys, preconditions: [] };
}
