// Building blocks of schemas.

import type { NumberRange } from '../request/parameters.ts';
import type { Schema } from './description.ts';

export const text = { type: 'string' };
export const someText = { type: 'string', minLength: 1 };
/** With the default of `limits.key-bytes`. */
export const key = { type: 'string', minLength: 1, maxLength: 1024 };
export const count = { type: 'integer', minimum: 0 };
export const time = { type: 'string', format: 'date-time' };

export function numberIn(type: 'integer' | 'number', { fallback, max, min }: NumberRange): Schema {
  return { type, minimum: min, maximum: max, default: fallback };
}

/** All members are required but the ones named. */
export function object(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
  description?: string,
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  const shape = { type: 'object', properties, required };
  return description === undefined ? shape : { description, ...shape };
}

/**
 * The same for a request: any other member is refused. With `additionalProperties: false`,
 * openapi-generator makes Java classes of OpenAPI 3.1 that send no member at all.
 */
export function closedObject(...description: Parameters<typeof object>): Schema {
  return { ...object(...description), unevaluatedProperties: false };
}

/**
 * Any JSON but these types. Generated clients take it as any value; from a choice of types they
 * make classes that do not compile, or that no caller can fill.
 */
export function notOf(...types: readonly string[]): Schema {
  // Validators want to know the items of every array.
  const items = types.includes('array') ? { items: {} } : {};
  return { not: { type: types, ...items } };
}

export function arrayOf(items: Schema, description?: string): Schema {
  const shape = { type: 'array', items };
  return description === undefined ? shape : { ...shape, description };
}

/** An object with one member, a list. */
export function list(name: string, items: Schema): Schema {
  return object({ [name]: arrayOf(items) });
}

/** In a body, where null means none. */
export const timeToLive: Schema = {
  description: 'Seconds, or an ISO 8601 duration.',
  examples: ['PT24H', 86400],
  ...notOf('object', 'array', 'boolean'),
};
