// The requests of the load, printed once and sent repeatedly.

import { createRandom, printRequest, repeat } from '../shared/requests.ts';
import { CUSTOMERS, keyOf, makeOrder, orderJson } from './orders.ts';

export type RequestKind =
  | 'get-one'
  /** A stored query with a bind parameter. */
  | 'point-named'
  /** An ad-hoc query with its value in the text, so that all texts differ. */
  | 'point-adhoc'
  /** An ad-hoc query by an indexed member that about 20 entries of a million share. */
  | 'customer-adhoc'
  | 'get-hundred-keys'
  | 'put-one'
  | 'put-many';

export const POINT_QUERY = 'order-by-id';
export const POINT_OQL = 'SELECT * FROM /orders o WHERE o.id = $1';

const API = '/grid-api/v1';
/** Too many for the CPU cache. */
const DISTINCT = 10_000;
/** More changes than may be pending for a region of any size. */
const DISTINCT_WRITES = 60_000;
const KEYS_PER_WRITE = 20;

export interface RequestTarget {
  readonly host: string;
  readonly region: string;
  readonly rows: number;
}

export function makeRequests(
  kind: RequestKind,
  { host, region, rows }: RequestTarget,
): readonly Buffer[] {
  const random = createRandom(7);
  const row = (): number => random(rows);
  switch (kind) {
    case 'get-one':
      return repeat(DISTINCT, () =>
        printRequest({ host, method: 'GET', path: `${API}/${region}/${keyOf(row())}` }),
      );
    case 'point-named':
      return repeat(DISTINCT, () =>
        printRequest({
          host,
          method: 'POST',
          path: `${API}/queries/${POINT_QUERY}`,
          body: `[{"@type":"int","@value":${row()}}]`,
        }),
      );
    case 'point-adhoc':
      return repeat(DISTINCT, () => {
        const text = encodeURIComponent(POINT_OQL.replace('$1', String(row())));
        return printRequest({ host, method: 'GET', path: `${API}/queries/adhoc?q=${text}` });
      });
    case 'customer-adhoc':
      return repeat(DISTINCT, () => {
        const text = encodeURIComponent(
          `SELECT * FROM /${region} o WHERE o.customerId = ${random(CUSTOMERS)}`,
        );
        return printRequest({ host, method: 'GET', path: `${API}/queries/adhoc?q=${text}` });
      });
    case 'get-hundred-keys':
      return repeat(DISTINCT / 10, () => {
        const keys = Array.from({ length: 100 }, () => keyOf(row())).join(',');
        return printRequest({ host, method: 'GET', path: `${API}/${region}/${keys}` });
      });
    case 'put-one':
      return repeat(DISTINCT_WRITES, () => {
        const at = row();
        const path = `${API}/${region}/${keyOf(at)}`;
        return printRequest({ host, method: 'PUT', path, body: changedOrder(at, random) });
      });
    case 'put-many':
      return repeat(DISTINCT_WRITES / 20, () => {
        const rowsWritten = [...new Set(Array.from({ length: KEYS_PER_WRITE }, row))];
        const keys = rowsWritten.map(keyOf).join(',');
        const values = rowsWritten.map((at) => changedOrder(at, random)).join(',');
        const path = `${API}/${region}/${keys}`;
        return printRequest({ host, method: 'PUT', path, body: `[${values}]` });
      });
  }
}

/** The order of a row as it might be some time later. */
function changedOrder(row: number, random: (limit: number) => number): string {
  const { contact, status, total, quantity } = makeOrder(random(1_000_000));
  return orderJson({ ...makeOrder(row), contact, status, total, quantity });
}
