// Texts that make a careless parser or binder slow: each family is one shape, as long as asked for.
// Deep ones nest as far as the limits allow and put the rest of their length inside.

/** The text of a family that has about `length` code units. */
type Family = (length: number) => string;

/** `head`, then units until the length is reached, then `tail`. */
function flood(
  head: string,
  unit: string | ((index: number) => string),
  tail: string,
  separator = '',
): Family {
  return (length) => {
    const parts: string[] = [];
    let left = length - head.length - tail.length;
    for (let index = 0; ; index++) {
      const part = typeof unit === 'string' ? unit : unit(index);
      left -= part.length + separator.length;
      if (left < 0 && index > 0) return `${head}${parts.join(separator)}${tail}`;
      parts.push(part);
    }
  };
}

const DEEP = 180;
const WIDE_SUM = Array.from({ length: 300 }, () => 'a').join('+');
const AND_OPERANDS: Family = flood('', 'o.a=1', '', ' AND ');
const OR_OPERANDS: Family = flood('', 'o.a=1', '', ' OR ');

/** Something around a flood of operands, as often as nesting allows. */
function nested(open: string, close: string, operands: Family): Family {
  const around = DEEP * (open.length + close.length);
  return (length) =>
    `SELECT * FROM /r o WHERE ${open.repeat(DEEP)}${operands(Math.max(100, length - around))}${close.repeat(DEEP)}`;
}

export const FAMILIES: Readonly<Record<string, Family>> = {
  'NOTs around an AND': nested('NOT (', ')', AND_OPERANDS),
  'NOTs and ANDs around an OR': nested('NOT (1=1 AND ', ')', OR_OPERANDS),
  'ANDs around an AND': nested('(1=1 AND ', ')', AND_OPERANDS),
  'ORs around an AND': nested('(1=2 OR ', ')', AND_OPERANDS),
  'NOTs around a subquery': nested('NOT (', ')', (length) => {
    return `o.a IN (SELECT x.a FROM /r x WHERE ${flood('', 'x.b=1', '', ' AND ')(length - 40)})`;
  }),
  'long sums that are grouped by': flood(
    'SELECT b,',
    `SUM(${WIDE_SUM})`,
    ' FROM /r GROUP BY b',
    ',',
  ),
  'long sums in projections': flood('SELECT COUNT(*),', WIDE_SUM, ' FROM /r GROUP BY b', ','),
  'many aggregates': flood('SELECT b,', (i) => `SUM(b+${i})`, ' FROM /r GROUP BY b', ','),
  'long paths': flood('SELECT * FROM /r o WHERE ', `o${'.a'.repeat(300)}=1`, '', ' AND '),
  arguments: flood('SELECT o.f(', '1,', '1) FROM /r o'),
  'elements of a set': flood('SELECT o FROM /r o WHERE o.a IN SET(', '1,', '1)'),
  projections: flood('SELECT ', '1,', '1 FROM /r o'),
  'projections of one name': flood('SELECT ', 'a,', 'a FROM /r'),
  'projections with names that collide': flood('SELECT ', (i) => `a AS a$${i},a,`, 'a FROM /r'),
  regions: flood('SELECT * FROM ', '/r,', '/r'),
  'iterators over each other': flood('SELECT * FROM /r a0', (i) => `,a${i}.b a${i + 1}`, ''),
  'branches of CASE': flood('SELECT CASE o.a ', 'WHEN 1 THEN 1 ', 'END FROM /r o'),
  'calls of a method named case': flood('SELECT ', 'o.f(case(1)),', '1 FROM /r o'),
  'bind parameters': flood('SELECT * FROM /r o WHERE ', (i) => `o.a=:p${i % 250} AND `, '1=1'),
  ranges: flood('SELECT * FROM /r o WHERE ', 'o.a BETWEEN 1 AND 2 AND ', '1=1'),
  patterns: flood('SELECT * FROM /r o WHERE ', "o.a LIKE '%a%' AND ", '1=1'),
  'sort keys': flood('SELECT * FROM /r o ORDER BY o.a', ',o.a', ''),
  imports: flood('', (i) => `IMPORT a.b${i};`, 'SELECT * FROM /r o'),
  hints: flood('<HINT ', "'a',", "'b'> SELECT * FROM /r"),
  'quoted names': flood('SELECT ', 'o."a-b",', '1 FROM /r o'),
  comments: flood('SELECT * FROM /r o ', '--\n', ''),
  quotes: flood("SELECT * FROM /r o WHERE o.a = '", "''", "'"),
  'a name that is unknown': (length) => `SELECT ${'a'.repeat(length - 20)} FROM /r a, /r b`,
  'a field that is unknown': (length) => {
    const half = 'a'.repeat(length / 2 - 30);
    return `SELECT x.${half} FROM (SELECT 1 AS ${half}b, 2 AS c FROM /r) x`;
  },
  'fields that are nearly right': flood(
    'SELECT x.zzzzzzzz FROM (SELECT ',
    (i) => `1 AS zzz${i},`,
    '2 AS c FROM /r) x',
  ),
  'a condition that never ends': flood('SELECT * FROM /r o WHERE ', 'o.a=1 OR ', ''),
  'subqueries in each other': (length) => {
    let text = '1';
    for (let depth = 0; depth < 80; depth++) {
      const filler = flood('', `a${depth}.z=1`, '', ' AND ')(Math.max(20, length / 80 - 60));
      text = `ELEMENT(SELECT a${depth}.x FROM /r a${depth} WHERE a${depth}.y = ${text} AND ${filler})`;
    }
    return `SELECT * FROM /r o WHERE o.x = ${text}`;
  },
};
