// Random joins of two regions, `/a` and `/b`. Their documents have the members `k`, `j`, `n` and `m`,
// a list `items` of objects with `n`, and for computed keys a text `s`.

import type { Choices } from './choices.ts';

const FROM = ['/a a, /b b', '/a a, a.items i, /b b', '/a a, /b b, b.items i'];
const RESTS = [
  'a.n + b.n <> 4',
  'a.n < b.m',
  'a.n / b.n > 0',
  'a.n + b.n <> 4 AND a.m < b.m',
  'a.n > 2 AND a.n - b.n < 3',
  'b.n < 4 AND a.n * b.m >= b.j',
  'a.n + b.n <> 4 AND b.j = a.j',
];
const SELECTS = ['SELECT COUNT(*)', 'SELECT a.n, b.m', 'SELECT DISTINCT a.n'];
const ENDS = ['', '', ' LIMIT 2'];

/** A join by an equality beside conditions that may fail. */
export function generateUnknownJoin(choices: Choices): string {
  const from = choices.of(...FROM);
  const items = from.includes('items') && choices.chance(60) ? ' AND i.n + a.n > 1' : '';
  return `${choices.of(...SELECTS)} FROM ${from} WHERE a.k = b.k AND ${choices.of(...RESTS)}${items}${choices.of(...ENDS)}`;
}

const COMPUTED = [
  'LOWER(a.s) = b.s',
  'UPPER(a.s) = UPPER(b.s)',
  "a.s = b.s || 'x'",
  'a.k = b.j + 1',
  'a.k + 1 = b.k - 1',
  'b.k = a.n + a.m',
  'COALESCE(a.k, 2) = b.k',
  'a.k / 2 = b.j',
  'NULLIF(a.k, 1) = NULLIF(b.k, 2)',
];
const BESIDE = ['', '', ' AND a.n = 2', ' AND b.n <> 3', ' AND a.j = b.j', ' AND a.n < b.m'];
const JOINED = [
  'SELECT COUNT(*)',
  'SELECT a.n, b.m',
  'SELECT DISTINCT a.n',
  'SELECT b.k, COUNT(*)',
];

/** A join by an equality of computed keys. */
export function generateComputedJoin(choices: Choices): string {
  const select = choices.of(...JOINED);
  const end = select.includes('b.k') ? ' GROUP BY b.k' : choices.of(...ENDS);
  return `${select} FROM ${choices.of(...FROM)} WHERE ${choices.of(...COMPUTED)}${choices.of(...BESIDE)}${end}`;
}

const TIES = [
  'b.k = a.k',
  'a.k = b.j + 1',
  'b.k + 1 = a.k',
  'b.k = a.k AND b.j = a.j',
  'b.k < a.k',
];
const INSIDE = [
  '',
  '',
  ' AND b.n = 2',
  ' AND b.n > 1',
  ' AND b.m <> 3',
  ' AND b.n <> b.m',
  ' LIMIT 1',
  ' LIMIT 0',
];
const FOUND = ['b.n', '1', 'b.n + 1', 'DISTINCT b.m', 'COUNT(*)'];
const OUTSIDE = ['', '', ' AND a.n = 2', ' AND a.m > 1', ' OR a.n = 3'];
const FILTERED = ['SELECT COUNT(*)', 'SELECT a.n, a.k', 'SELECT a.k, COUNT(*)'];

/** A correlated EXISTS or NOT EXISTS. */
export function generateExists(choices: Choices): string {
  const select = choices.of(...FILTERED);
  const inner = `SELECT ${choices.of(...FOUND)} FROM /b b WHERE ${choices.of(...TIES)}${choices.of(...INSIDE)}`;
  const not = choices.chance(50) ? 'NOT ' : '';
  const end = select.includes('a.k, C') ? ' GROUP BY a.k' : '';
  return `${select} FROM /a a WHERE ${not}EXISTS (${inner})${choices.of(...OUTSIDE)}${end}`;
}
