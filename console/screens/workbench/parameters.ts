// Parses the typed values for the placeholders of a query into the values to send.

import { exactObjects, type Parameter, type Parameters } from '../../../src/client/index.ts';

export type ParameterKind = 'text' | 'number' | 'boolean' | 'date' | 'list' | 'null';

export interface TypedValue {
  readonly kind: ParameterKind;
  readonly text: string;
  /** The user chose the kind, so that typing does not change it. */
  readonly isChosen?: true;
}

export const EMPTY_VALUE: TypedValue = { kind: 'text', text: '' };

/** A number while it reads as one, otherwise a text, until the user chooses the kind. */
export function typeInto(value: TypedValue, text: string): TypedValue {
  if (value.isChosen === true) return { ...value, text };
  return { kind: /^-?\d+(\.\d+)?$/.test(text) ? 'number' : 'text', text };
}

/** Why a value cannot be sent; undefined if it can. */
export function whyNotSent({ kind, text }: TypedValue): string | undefined {
  switch (kind) {
    case 'number':
      return Number.isNaN(parseNumber(text)) ? 'This is no number' : undefined;
    case 'date':
      return Number.isNaN(Date.parse(text))
        ? 'Write it as 2026-11-16 or 2026-11-16T09:30Z'
        : undefined;
    case 'list':
      return parseList(text) === undefined ? 'Write it as ["a", 3]' : undefined;
    default:
      return undefined;
  }
}

/** Placeholders whose value is not typed yet, or cannot be sent. */
export function findMissing(
  placeholders: readonly string[],
  values: Readonly<Record<string, TypedValue>>,
): readonly string[] {
  return placeholders.filter((name) => {
    const value = values[name];
    return value === undefined || whyNotSent(value) !== undefined;
  });
}

/** Placeholders by number are a list, by name an object. */
export function toParameters(
  placeholders: readonly string[],
  values: Readonly<Record<string, TypedValue>>,
): Parameters {
  const parameterOf = (name: string): Parameter => toParameter(values[name] ?? EMPTY_VALUE);
  if (placeholders.some((name) => name.startsWith(':'))) {
    return Object.fromEntries(placeholders.map((name) => [name.slice(1), parameterOf(name)]));
  }
  const most = Math.max(0, ...placeholders.map((name) => Number(name.slice(1))));
  return Array.from({ length: most }, (_, index) => parameterOf(`$${index + 1}`));
}

function toParameter({ kind, text }: TypedValue): Parameter {
  switch (kind) {
    case 'text':
      return text;
    case 'number': {
      const isLarge = /^-?\d+$/.test(text.trim()) && !Number.isSafeInteger(Number(text));
      return isLarge ? BigInt(text.trim()) : parseNumber(text);
    }
    case 'boolean':
      return text === 'true';
    case 'date':
      return new Date(text);
    case 'list':
      return parseList(text) ?? [];
    case 'null':
      return null;
  }
}

function parseNumber(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

function parseList(text: string): readonly (string | number | bigint)[] | undefined {
  try {
    const parsed = exactObjects<unknown>().parse(text);
    // The contents of a JSON array of texts and numbers may be sent.
    return Array.isArray(parsed) ? (parsed as readonly (string | number | bigint)[]) : undefined;
  } catch {
    return undefined;
  }
}
