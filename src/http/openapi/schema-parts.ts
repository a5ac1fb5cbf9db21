// Building blocks of schemas.

import type { NumberRange } from '../request/number-parameters.ts';
import type { Schema } from './description.ts';

export const text = { type: 'string' };
export const someText = { type: 'string', minLength: 1 };
/** With the default of `limits.key-bytes`. */
export const key = { type: 'string', minLength: 1, maxLength: 1024 };
export const count = { type: 'integer', minimum: 0 };

export function numberIn(type: 'integer' | 'number', { fallback, max, min }: NumberRange): Schema {
  return { type, minimum: min, maximum: max, default: fallback };
}

export function object(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
  description?: string,
): Schema {
  const shape = { type: 'object', properties, required };
  return description === undefined ? shape : { description, ...shape };
}

/** An object with one member, a list. */
export function list(name: string, items: Schema): Schema {
  return object({ [name]: { type: 'array', items } }, [name]);
}

/**
 * Any JSON but these types. Generated clients take it as any value; from a choice of types they
 * make classes that do not compile, or that no caller can fill.
 */
