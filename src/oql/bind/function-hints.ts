// Functions that a query seems to mean when it calls a name that is none. Such a call would be one
// of a method of the row; no value has methods of these names with arguments.

import { nearestName } from '../../value/nearest-name.ts';
import { METHOD_NAMES } from '../methods/method-names.ts';

/** Functions of other languages, and how OQL says the same. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['coalesce', 'NVL(a, b)'],
  ['ifnull', 'NVL(a, b)'],
  ['isnull', 'a IS NULL'],
  ['upper', 'a.toUpperCase()'],
  ['lower', 'a.toLowerCase()'],
  ['trim', 'a.trim()'],
  ['len', 'a.length()'],
  ['length', 'a.length()'],
  ['substr', 'a.substring(from, to)'],
]);

/** Names long or odd enough that a similar one is a slip rather than another word. */
const FUNCTIONS = ['ELEMENT', 'NVL', 'TO_DATE', 'IS_DEFINED', 'IS_UNDEFINED', 'COUNT'];

/** What to write instead, if an unqualified call with arguments looks like a function. */
export function hintForFunction(name: string): string | undefined {
  const meant = ELSEWHERE.get(name.toLowerCase()) ?? nearestFunction(name);
  return meant === undefined ? undefined : `Did you mean ${meant}?`;
}

/** A name that some value has a method of is no slip, however much it looks like a function. */
function nearestFunction(name: string): string | undefined {
  return METHOD_NAMES.has(name) ? undefined : nearestName(name, FUNCTIONS);
}
