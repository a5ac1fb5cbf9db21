// Bind parameters: from what a request states to values in the slots of a query. A parameter is
// only ever a value; nothing in it is read as OQL or as the name of a region.

import { parseJson } from '../../value/json-parse.ts';
import { didYouMean, nearestName } from '../../value/nearest-name.ts';
import { printAmount } from '../../value/print-amount.ts';
import { Temporal, type Value } from '../../value/value.ts';
import { type Location, parameterCount, parameterType, wholeQuery } from '../errors.ts';
import type { BoundQuery } from './bound-query.ts';
import { convertParameter, findParameterType, PARAMETER_TYPES } from './parameter-type.ts';

/** One parameter of a request: `{"@type": "int", "@value": 5}`, and a name for `:name`. */
export interface ParameterRequest {
  readonly name: string | undefined;
  readonly type: string | undefined;
  /** The value as valid JSON text, just as it was sent, so that no digit is lost. */
  readonly json: string | undefined;
}

/**
 * The values of all slots. `queryTime` is in milliseconds since 1970; all functions of the query
 * use it.
 */
export function bindParameters(
  query: BoundQuery,
  requests: readonly ParameterRequest[],
  queryTime: number,
): readonly Value[] {
  return withQueryTime(query, bindRequests(query, requests), queryTime);
}

/** Values of the placeholders' slots, and the time of the query after them, if it is used. */
export function withQueryTime(
  query: BoundQuery,
  values: readonly Value[],
  queryTime: number,
): readonly Value[] {
  const { numbered, named, hasQueryTime } = query.parameters;
  if (!hasQueryTime) return values;
  return [...values.slice(0, numbered + named.length), new Temporal('timestamp', queryTime)];
}

/**
 * The value of each slot. Parameters without a name fill the slots in order; named ones their own.
 * Every slot must be filled and every parameter used.
 */
function bindRequests(query: BoundQuery, requests: readonly ParameterRequest[]): readonly Value[] {
  const { numbered, named } = query.parameters;
  const unnamed = requests.filter(({ name }) => name === undefined);
  // If no parameter has a name, even named placeholders are filled in order.
  const hasNames = unnamed.length < requests.length;
  const byOrder = hasNames ? numbered : numbered + named.length;
  const byName = hasNames ? namedRequests(query, requests) : undefined;
  if (unnamed.length !== byOrder) {
    const amount = hasNames
      ? printAmount(unnamed.length, 'value without a name was', 'values without a name were')
      : printAmount(unnamed.length, 'value was', 'values were');
    const placeholders = printAmount(byOrder, hasNames ? 'numbered placeholder' : 'placeholder');
    const reason = `The query has ${placeholders}, but ${amount} given`;
    throw parameterCount(locate(query, byOrder - 1), reason);
  }
  const inOrder = unnamed.map((request, slot) => convert(query, slot, request));
  if (byName === undefined) return inOrder;
  const byTheirNames = named.map((name, index) => {
    const slot = numbered + index;
    const request = byName.get(name);
    if (request !== undefined) return convert(query, slot, request);
    throw parameterCount(locate(query, slot), `No value was given for the parameter :${name}`);
  });
  return [...inOrder, ...byTheirNames];
}

/** The named parameters by name; refuses duplicates and those that the query lacks. */
function namedRequests(
  query: BoundQuery,
  requests: readonly ParameterRequest[],
): ReadonlyMap<string, ParameterRequest> {
  const byName = new Map<string, ParameterRequest>();
  for (const request of requests) {
    if (request.name === undefined) continue;
    const isKnown = query.parameters.named.includes(request.name);
    if (!isKnown || byName.has(request.name)) {
      const reason = isKnown
        ? `The parameter :${request.name} was given twice`
        : `The query has no placeholder :${request.name}`;
      throw parameterCount(wholeQuery(query.text), reason);
    }
    byName.set(request.name, request);
  }
  return byName;
}

function convert(query: BoundQuery, slot: number, request: ParameterRequest): Value {
  const { type: name = '' } = request;
  const type = findParameterType(name);
  if (type === undefined) {
    const label = labelOf(query, slot);
    const reason = `The ${label} has an unknown type: ${request.type ?? '(none)'}`;
    const meant = didYouMean(nearestName(name.trim(), PARAMETER_TYPES));
    const hint = meant ?? `The types are ${PARAMETER_TYPES.join(', ')}`;
    throw parameterType(locate(query, slot), reason, hint);
  }
  const json = request.json ?? (type.name === 'null' ? 'null' : undefined);
  if (json === undefined) {
    throw parameterType(locate(query, slot), `The ${labelOf(query, slot)} has no value`);
  }
  const value = convertParameter(type, parseJson(json), json);
  if (value !== undefined) return value;
  const reason = `The value of the ${labelOf(query, slot)} is not of type ${type.name}`;
  throw parameterType(locate(query, slot), reason);
}

function labelOf({ parameters: { numbered, named } }: BoundQuery, slot: number): string {
  return `parameter ${slot < numbered ? `$${slot + 1}` : `:${named[slot - numbered]}`}`;
}

/** The location where a slot first appears; the whole query for a number that the text skips. */
function locate(query: BoundQuery, slot: number): Location {
  const span = query.parameters.spans[slot];
  return span === undefined ? wholeQuery(query.text) : { text: query.text, span };
}
