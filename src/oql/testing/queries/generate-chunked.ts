// Random queries over a region `/r` of several chunks, with bounds at the ends of chunks. Its members
// are numbers that grow, fall or repeat along the keys, and a list `items` of objects with `q`.

import type { Choices } from './choices.ts';

const MEMBERS = ['up', 'down', 'few', 'any', 'gaps', 'wild', 'odd'];

export function generateChunked(choices: Choices): string {
  const bound = (): string =>
    choices.of('0', '3', '4095', '4096', '-2048', '6000.5', '-1e9', '99999');
  const member = (): string => `r.${choices.of(...MEMBERS)}`;
  const comparison = (): string =>
    `${member()} ${choices.of('<', '<=', '>', '>=', '=', '<>')} ${bound()}`;
  const where = choices.of(
    '',
    '',
    `WHERE ${comparison()}`,
    `WHERE ${comparison()} AND ${comparison()}`,
    `WHERE ${comparison()} OR ${comparison()}`,
    `WHERE NOT (${comparison()}) AND ${member()} IN SET(1, ${bound()}, 7)`,
    `WHERE ${comparison()} AND r.up.length > 1`,
  );
  if (choices.chance(30)) return `SELECT COUNT(*) FROM /r r ${where}`;
  if (choices.chance(15)) {
    return `SELECT r.id, i.q FROM /r r, r.items i WHERE i.q ${choices.of('<', '>=', '=')} ${bound()} ORDER BY i.q LIMIT 3`;
  }
  if (choices.chance(20)) {
    const one = member();
    const keys = choices.of(one, `${one}, ${member()}`);
    const orderBy = choices.of('', `ORDER BY ${one}`, `ORDER BY n DESC, ${one}`, 'ORDER BY n, s');
    const limit = choices.of('', 'LIMIT 4', 'LIMIT 3 OFFSET 2');
    return `SELECT ${keys}, COUNT(*) AS n, SUM(r.few) AS s FROM /r r ${where} GROUP BY ${keys} ${orderBy} ${limit}`;
  }
  const key = (): string => `${member()} ${choices.of('', 'DESC')}`;
  const keys = choices.chance(40) ? `${key()}, ${key()}` : key();
  const distinct = choices.chance(20) ? 'DISTINCT ' : '';
  const limit = choices.of('LIMIT 1', 'LIMIT 10', 'LIMIT 10', 'LIMIT 200 OFFSET 5', 'LIMIT 5000');
  return `SELECT ${distinct}r.id, r.any FROM /r r ${where} ORDER BY ${keys} ${limit}`;
}
