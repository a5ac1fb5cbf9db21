// Names the kind of a value for error messages, never its content.

import { kindOf, type Value, type ValueKind } from './value.ts';

const WORDS: Readonly<Record<ValueKind, string>> = {
  null: 'null',
  undefined: 'UNDEFINED',
  boolean: 'a boolean',
  number: 'a number',
  string: 'a string',
  char: 'a char',
  temporal: 'a date',
  list: 'a list',
  set: 'a set',
  map: 'a map',
  document: 'a document',
  struct: 'a struct',
  entry: 'an entry',
  region: 'a region',
};

export function describeValue(value: Value): string {
  return WORDS[kindOf(value)];
}

/** The text with its first letter as a capital, as at the beginning of a sentence. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
