// The requests of the load, ready to be sent over and over.

import { keyOf, makeOrder, orderJson } from './orders.ts';

export type RequestKind =
  | 'get-one'
  /** A stored query with a bind parameter. */
  | 'point-named'
  /** An ad-hoc query, its value in the text: no two texts are alike. */
  | 'point-adhoc'
  | 'put-one'
  | 'put-many';

export const POINT_QUERY = 'order-by-id';
export const POINT_OQL = 'SELECT * FROM /orders o WHERE o.id = $1';

const API = '/grid-api/v1';
/** Enough that nothing is served from a processor's cache alone. */
const DISTINCT = 10_000;
/** More than are put aside for the next query. */
const DISTINCT_WRITES = 30_000;
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
      return repeat(DISTINCT, () => request(host, 'GET', `${API}/${region}/${keyOf(row())}`));
    case 'point-named':
      return repeat(DISTINCT, () =>
        request(
          host,
          'POST',
          `${API}/queries/${POINT_QUERY}`,
          `[{"@type":"int","@value":${row()}}]`,
        ),
      );
    case 'point-adhoc':
      return repeat(DISTINCT, () => {
        const text = encodeURIComponent(POINT_OQL.replace('$1', String(row())));
        return request(host, 'GET', `${API}/queries/adhoc?q=${text}`);
      });
    case 'put-one':
      return repeat(DISTINCT_WRITES, () => {
        const at = row();
        return request(host, 'PUT', `${API}/${region}/${keyOf(at)}`, changedOrder(at, random));
      });
    case 'put-many':
      return repeat(DISTINCT_WRITES / 10, () => {
        const rowsWritten = [...new Set(Array.from({ length: KEYS_PER_WRITE }, row))];
        const keys = rowsWritten.map(keyOf).join(',');
        const values = rowsWritten.map((at) => changedOrder(at, random)).join(',');
        return request(host, 'PUT', `${API}/${region}/${keys}`, `[${values}]`);
      });
  }
}

/** The order of a row as it might be some time later. */
function changedOrder(row: number, random: (limit: number) => number): string {
  const { contact, status, total, quantity } = makeOrder(random(1_000_000));
  return orderJson({ ...makeOrder(row), contact, status, total, quantity });
}

function request(host: string, method: string, path: string, body?: string): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, 'Accept: application/json'];
  if (body !== undefined) {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

function repeat(count: number, make: () => Buffer): readonly Buffer[] {
  return Array.from({ length: count }, make);
}

/** Integers from 0 to below the limit, the same ones in every run. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
