// The statements that read a window of keys: each combination of bounds and order has its own text
// and name, so that the server prepares it once and finds the rows through the index.

import { encodeKey } from '../key-encoding.ts';
import type { KeyWindow } from '../key-window.ts';

export interface WindowStatement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** Up to `rows` entries; fewer when they reach `maxBytes`, but at least one. */
export function entriesStatement(
  region: number,
  window: KeyWindow,
  { maxBytes, rows }: { readonly rows: number; readonly maxBytes: number },
): WindowStatement {
  const { condition, name, order, values } = print(window, [region, rows, maxBytes]);
  return {
    name: `snapshot-page${name}`,
    // Only values that are sent are read: the length of a large value is known without reading it.
    text: `SELECT key, value FROM (
      SELECT key, value, sum(octet_length(value)) OVER (ORDER BY key${order}) - octet_length(value) AS before
      FROM (SELECT key, value FROM entries WHERE region = $1${condition} ORDER BY key${order} LIMIT $2) p) f
    WHERE before < $3 ORDER BY key${order}`,
    values,
  };
}

export function keysStatement(region: number, window: KeyWindow, rows: number): WindowStatement {
  const { condition, name, order, values } = print(window, [region, rows]);
  return {
    name: `snapshot-keys${name}`,
    text: `SELECT key FROM entries WHERE region = $1${condition} ORDER BY key${order} LIMIT $2`,
    values,
  };
}

/** `firstValues` are the parameters of the statement that come before the bounds. */
function print(
  { lower, order, upper }: KeyWindow,
  firstValues: readonly number[],
): {
  readonly condition: string;
  readonly name: string;
  readonly order: string;
  readonly values: unknown[];
} {
  const values: unknown[] = [...firstValues];
  let condition = '';
  let name = order === 'desc' ? '-desc' : '';
  if (lower !== undefined) {
    values.push(encodeKey(lower.key));
    condition += ` AND key ${lower.isIncluded ? '>=' : '>'} $${values.length}`;
    name += lower.isIncluded ? '-from' : '-after';
  }
  if (upper !== undefined) {
    values.push(encodeKey(upper));
    condition += ` AND key < $${values.length}`;
    name += '-to';
  }
  return { condition, name, order: order === 'desc' ? ' DESC' : '', values };
}
