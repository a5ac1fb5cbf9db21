// All functions that a query may call by name. A function is one row of one of these tables.

import { nearestName } from '../../value/nearest-name.ts';
import { DATE_FUNCTIONS } from './date-functions.ts';
import type { FunctionDefinition } from './function-definition.ts';
import { NUMBER_FUNCTIONS } from './number-functions.ts';
import { TEXT_FUNCTIONS } from './text-functions.ts';
import { VALUE_FUNCTIONS } from './value-functions.ts';

const FUNCTIONS: ReadonlyMap<string, FunctionDefinition> = new Map(
  [...TEXT_FUNCTIONS, ...NUMBER_FUNCTIONS, ...DATE_FUNCTIONS, ...VALUE_FUNCTIONS].map(
    (definition) => [definition.name, definition],
  ),
);

/** The function of that name, in any letter case. */
export function findFunction(name: string): FunctionDefinition | undefined {
  return FUNCTIONS.get(name.toUpperCase());
}

/** In upper case. */
export const FUNCTION_NAMES: readonly string[] = [...FUNCTIONS.keys()];

/** Functions that the grammar has productions for; suggestions name them too. */
const SPECIAL_SYNTAX = ['ELEMENT', 'NVL', 'IS_DEFINED', 'IS_UNDEFINED', 'COUNT', 'SET'];

/** Functions of other languages that have another name here. */
const FOREIGN_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ['IFNULL', 'COALESCE(a, b)'],
  ['ISNULL', 'a IS NULL'],
  ['LEN', 'LENGTH(a)'],
  ['SYSDATE', 'NOW()'],
  ['GETDATE', 'NOW()'],
  ['CURRENT_TIME', 'NOW()'],
  ['LOCALTIMESTAMP', 'NOW()'],
  ['CURDATE', 'CURRENT_DATE'],
  ['TODAY', 'CURRENT_DATE'],
  ['DATEADD', 'DATE_ADD(date, amount, unit)'],
  ['DATEDIFF', 'DATE_DIFF(unit, from, to)'],
  ['DATE_PART', 'EXTRACT(unit FROM date)'],
  ['UCASE', 'UPPER(a)'],
  ['LCASE', 'LOWER(a)'],
  ['INSTR', 'POSITION(part, text)'],
  ['UNNEST', 'FROM /orders o, o.items i'],
  ['TO_CHAR', 'CAST(a AS string)'],
  ['DATE_FORMAT', 'CAST(a AS string), or YEAR(a), MONTH(a) and the like'],
  ['IF', 'CASE WHEN condition THEN a ELSE b END'],
  ['IIF', 'CASE WHEN condition THEN a ELSE b END'],
  ['LOG', 'LN(a) or LOG10(a)'],
  ['GROUP_CONCAT', 'ARRAY_AGG(a)'],
  ['STRING_AGG', 'ARRAY_AGG(a)'],
  ['LISTAGG', 'ARRAY_AGG(a)'],
  ['VAR_SAMP', 'VARIANCE(a)'],
  ['STDDEV_SAMP', 'STDDEV(a)'],
  ['VAR_POP', 'VARIANCE(a) * (COUNT(a) - 1) / COUNT(a)'],
  ['STDDEV_POP', 'SQRT(VARIANCE(a) * (COUNT(a) - 1) / COUNT(a))'],
  ['TO_NUMBER', 'CAST(a AS number)'],
]);

/** The function of a name that is in the table. */
export function requireFunction(name: string): FunctionDefinition {
  const definition = findFunction(name);
  if (definition === undefined) throw new Error(`there is no function ${name}`);
  return definition;
}

/** The suggestion for a name that no function has. */
export function nearestFunction(name: string): string | undefined {
  const upper = name.toUpperCase();
  return (
    FOREIGN_FUNCTIONS.get(upper) ?? nearestName(upper, [...FUNCTIONS.keys(), ...SPECIAL_SYNTAX])
  );
}
