// The rows of a result as the service sent them: JSON text, so that numbers stay exact.

import { kindOfJson, splitObject } from '../../../src/value/json-text.ts';

export interface ResultTable {
  readonly columns: readonly string[];
  /** Row by row: the JSON text of each column; undefined if a row has no such member. */
  readonly cells: readonly (readonly (string | undefined)[])[];
}

/** The column of rows that are not objects. */
const VALUE_COLUMN = 'value';
/** Wider tables can be read as JSON. */
const MAX_COLUMNS = 200;

export function toTable(rows: readonly string[]): ResultTable {
  const members = rows.map((row) => (kindOfJson(row) === 'object' ? splitObject(row) : row));
  const names = new Set<string>();
  for (const row of members) {
    if (typeof row === 'string') names.add(VALUE_COLUMN);
    else for (const name of row.keys()) names.add(name);
    if (names.size >= MAX_COLUMNS) break;
  }
  const columns = [...names].slice(0, MAX_COLUMNS);
  const cells = members.map((row) =>
    columns.map((name) => {
      if (typeof row !== 'string') return row.get(name);
      return name === VALUE_COLUMN ? row : undefined;
    }),
  );
  return { columns, cells };
}

/** The text of a cell: a string without its quotes, anything else as it is written. */
export function printCell(text: string | undefined): string {
  if (text === undefined) return '';
  return text.startsWith('"') ? String(JSON.parse(text)) : text;
}

export function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && kindOfJson(text) === 'number' ? Number(text) : undefined;
}

export interface SortOrder {
  readonly column: number;
  readonly direction: 'ascending' | 'descending';
}

/** Indexes of the rows in sort order; rows without a value come last. */
export function sortTable({ cells }: ResultTable, order: SortOrder | undefined): readonly number[] {
  const indexes = cells.map((_, index) => index);
  if (order === undefined) return indexes;
  const sign = order.direction === 'ascending' ? 1 : -1;
  const keys = cells.map((row) => sortKey(row[order.column]));
  return indexes.sort((a, b) => compareKeys(keys[a], keys[b], sign) || a - b);
}

type SortKey = number | string | undefined;

function sortKey(text: string | undefined): SortKey {
  if (text === undefined || text === 'null') return undefined;
  return numberOf(text) ?? printCell(text);
}

function compareKeys(a: SortKey, b: SortKey, sign: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * sign;
  if (typeof a !== typeof b) return (typeof a === 'number' ? -1 : 1) * sign;
  return a < b ? -sign : a > b ? sign : 0;
}
