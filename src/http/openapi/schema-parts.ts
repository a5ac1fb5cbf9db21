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

export function arrayOf(items: Schema, description?: string): Schema {
  const shape = { type: 'array', items };
  return description === undefined ? shape : { ...shape, description };
}

/** An object with one member, a list. */
export function list(name: string, items: Schema): Schema {
  return object({ [name]: arrayOf(items) });
}
