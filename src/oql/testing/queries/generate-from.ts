// Random FROM clauses over the regions `r` and `q`, with joins, nested lists and subqueries.

import type { Choices } from './choices.ts';
import { keyCondition } from './generate-expression.ts';
import { member, type Scope } from './query-scope.ts';

export interface From {
  readonly from: string;
  readonly scope: Scope;
  /** Join conditions between the regions. */
  readonly joins: readonly string[];
}

/** Some only filter rows, others add rows. */
const FROM_SUBQUERIES = [
  '(SELECT * FROM /r w WHERE w.n > 0) o',
  "(SELECT * FROM /r w WHERE w.s = 'a') o",
  '(SELECT w.n AS n, w.o AS o, w.s AS s, w.m AS m, w.t AS t, w.b AS b, w.d AS d, w.zz AS zz, w.k AS k, w.tags AS tags, w.at AS at, w.n AS "size" FROM /r w WHERE w.m <> 2) o',
  '(SELECT w.o FROM /r w) o',
  '(SELECT DISTINCT * FROM /q w LIMIT 5) o',
  '(SELECT * FROM /q w ORDER BY w.zz, w.b LIMIT 7) o',
];

export function generateFrom(choices: Choices): From {
  // Three regions are rare, because the reference evaluator tries every combination of their rows.
  switch (choices.chance(2) ? 12 : choices.below(16)) {
    case 12:
      return {
        from: choices.of('/r o, /q c, /r e', '/q c, /r o, /q e'),
        scope: { documents: ['o', 'c', 'e'], items: [], parts: [], isJoined: true },
        joins: choices.of(
          ['o.s = c.t', 'c.n = e.n'],
          ['o.n = e.m', 'e.s = c.s'],
          ['c.o.x = e.n', 'e.s = o.t', 'o.n = c.n'],
        ),
      };
    case 13:
    case 14:
      return joined(choices);
    case 5:
      return {
        from: choices.of('/q c, /r o, o.items i', '/r o, /q c, o.items i'),
        scope: { documents: ['o', 'c'], items: ['i'], parts: [], isJoined: true },
        joins: [choices.of('o.s = c.s', 'c.n = o.n', 'o.o.x = c.n')],
      };
    case 6:
      return {
        from: choices.of(...FROM_SUBQUERIES),
        scope: { documents: ['o'], items: [], parts: [] },
        joins: [],
      };
    case 7:
      return {
        from: '/r.entries e',
        scope: { documents: ['e.value'], items: [], parts: [] },
        joins: choices.chance(70) ? [keyCondition(choices, 'e.key')] : [],
      };
    case 8:
      return {
        from: choices.of('/r.keys k, /q o', '/q o, /r.keys k'),
        scope: { documents: ['o'], items: [], parts: [], isJoined: true },
        joins: choices.chance(70) ? [choices.of("k < 'k15'", 'k = o.s', "k LIKE 'k1%'")] : [],
      };
    case 9:
      return {
        from: '/r o, o.tags t',
        scope: { documents: ['o'], items: ['t'], parts: [] },
        joins: [],
      };
    case 0:
      return {
        from: '/r o, o.items i',
        scope: { documents: ['o'], items: ['i'], parts: [] },
        joins: [],
      };
    case 1:
      return {
        from: '/r o, o.items i, i.parts p',
        scope: { documents: ['o'], items: ['i'], parts: ['p'] },
        joins: [],
      };
    case 2:
      return {
        from: '/r o, /q c',
        scope: { documents: ['o', 'c'], items: [], parts: [], isJoined: true },
        joins: choices.chance(90) ? [`o.${member(choices)} = c.${member(choices)}`] : [],
      };
    case 3:
      return {
        from: '/r o, o.items i, /q c',
        scope: { documents: ['o', 'c'], items: ['i'], parts: [], isJoined: true },
        joins: [choices.of('i.sku = c.s', 'c.n = i.q', 'o.s = c.t')],
      };
    default:
      return { from: '/r o', scope: { documents: ['o'], items: [], parts: [] }, joins: [] };
  }
}

const ON = ['o.s = c.s', 'c.n = o.n', 'o.o.x = c.n', 'c.t = o.s', 'o.n = c.n AND o.s = c.s'];
/** Conditions on the right, on the left, on both sides; some fail for some documents. */
const AND = [
  'c.m > 1',
  'c.m <> 2',
  'LENGTH(c.s) = 1',
  'c.b IS NULL',
  'o.m IS NOT NULL',
  'o.n <> 2',
  'o.m > 1',
  'o.t <> c.t',
  'o.m < c.m',
];

/** JOIN and LEFT JOIN, with LEFT JOINs in a row and beside other iterators. */
function joined(choices: Choices): From {
  const kind = choices.of('JOIN', 'LEFT JOIN', 'LEFT JOIN', 'LEFT JOIN');
  const on = choices.chance(10)
    ? 'o.n < c.n'
    : [choices.of(...ON), ...choices.some(2, () => choices.of(...AND))].join(' AND ');
  const view = choices.chance(10) ? `/q.entries e ON e.value.n = o.n` : undefined;
  const from = `/r o ${kind} ${view ?? `/q c ON ${on}`}`;
  const scope: Scope = {
    documents: ['o', view === undefined ? 'c' : 'e.value'],
    items: [],
    parts: [],
    isJoined: true,
  };
  const right = view === undefined ? 'c' : 'e';
  const joins = choices.chance(20) ? [`${right} IS ${choices.of('', 'NOT ')}NULL`] : [];
  if (view !== undefined || !choices.chance(25)) return { from, scope, joins };
  const more = choices.of(
    { from: `${from} LEFT JOIN /r e ON e.n = c.n`, joins: [] },
    { from: `${from} LEFT JOIN /r e ON e.s = o.t AND c IS NOT NULL`, joins: [] },
    { from: `${from}, /r e`, joins: ['e.n = c.n'] },
    { from: `${from}, /r e`, joins: ['e.s = c.t', 'e.n = o.n'] },
    { from: `/r e, ${from}`, joins: ['e.n = o.n'] },
  );
  const documents = [...scope.documents, 'e'];
  return { from: more.from, scope: { ...scope, documents }, joins: [...joins, ...more.joins] };
}
