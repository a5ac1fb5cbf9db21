// The words of the language, for editors: what to colour and what to offer.

import { FUNCTION_NAMES } from './functions/function-table.ts';
import { AGGREGATES } from './syntax/aggregate-functions.ts';
import { RESERVED_WORDS } from './syntax/token.ts';

/** Words of our extensions, which may still be names. */
const EXTENSION_WORDS = `between case current_date else end exists extract full ilike inner is join
  left nulls offset on outer over then typeof when with`.split(/\s+/u);

/** In upper case. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  [...RESERVED_WORDS, ...EXTENSION_WORDS].map((word) => word.toUpperCase()),
);

/** Functions and aggregates, in upper case, as a query calls them. */
export const CALLED_NAMES: readonly string[] = [
  ...new Set([
    ...FUNCTION_NAMES,
    ...Object.keys(AGGREGATES).map((name) => name.toUpperCase()),
    'ELEMENT',
    'IS_DEFINED',
    'IS_UNDEFINED',
    'NVL',
    'TO_DATE',
  ]),
].sort();
