// Texts that make a careless parser or binder slow. Each family is one shape of any length. Deep ones
// nest as far as the limits allow and put the rest of their length inside.

/** The text of a family that has about `length` code units. */
type Family = (length: number) => string;

/** `head`, then repeated units up to the length, then `tail`. */
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

/** A flood of operands, nested as deeply as the limits allow. */
function nested(open: string, close: string, operands: Family): Family {
  const around = DEEP * (open.length + close.length);
  return (length) =>
    `SELECT * FROM /r o WHERE ${open.repeat(DEEP)}${operands(Math.max(100, length - around))}${close.repeat(DEEP)}`;
}

/** A chain of joined regions, each equal to the previous one, and as many conditions as fit. */
function joined(length: number): string {
  const names = Array.from({ length: 64 }, (_, i) => `r${i}`);
  const from = names.map((name) => `/r ${name}`).join();
  const equalities = names.slice(1).map((name, i) => `r${i}.a=${name}.a`);
  const text = `SELECT COUNT(*) FROM ${from} WHERE ${equalities.join(' AND ')}`;
  return flood(text, (i) => ` AND r${i % 64}.b=${i}`, '')(Math.max(length, 4000));
}

const ALL_ROWS = 'SELECT * FROM /r o WHERE ';
/** A condition of each kind, so that a text of them runs most of the parser and the binder. */
const CONDITIONS = [
  'o.a=1',
  'o.b IN (1,2,o.c)',
  "o.c LIKE 'a%'",
  'o.d BETWEEN 1 AND 2',
  'NOT (o.e=1 AND o.f<>2)',
  'o.g IS NOT NULL',
  'ABS(o.h)>1',
  'o.i[0]=$1',
  'CASE WHEN o.j=1 THEN TRUE ELSE FALSE END',
  "o.k.trim()='a'",
  'o.l+1*2>3',
  '((int)o.m)=1',
  'NVL(o.n,1)=2',
  'IS_DEFINED(o.p)',
  "o.q||'a'='b'",
  'o.r IN SET(1,2)',
  "o.s=DATE '2020-01-01'",
  '-o.t<1',
  'o.u=:p1',
  "o.v ILIKE '%b'",
  'o.x=ANY (1,2)',
  "CAST(o.y AS string)='1'",
  "DATE_ADD(o.d, INTERVAL '1' DAY)>o.e",
] as const;

function conditionOfKind(index: number): string {
  return CONDITIONS[index % CONDITIONS.length] ?? '';
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
  'elements of a set that differ': flood(
    'SELECT o FROM /r o WHERE o.a IN SET(',
    (i) => `${i},`,
    '1)',
  ),
  'texts of a set': flood('SELECT o FROM /r o WHERE o.s IN SET(', (i) => `'${i}',`, "'')"),
  'computed elements of a set': flood(
    'SELECT o FROM /r o WHERE o.a IN SET(',
    (i) => `1+${i},`,
    '1)',
  ),
  'members in a set': flood('SELECT o FROM /r o WHERE 1 IN SET(', (i) => `o.a${i},`, '1)'),
  'many small sets': flood('SELECT o FROM /r o WHERE ', (i) => `o.a IN SET(${i})`, '', ' OR '),
  'sets that are left out': flood(
    'SELECT o FROM /r o WHERE ',
    (i) => `o.a NOT IN SET(${i})`,
    '',
    ' AND ',
  ),
  'equalities joined by OR': flood('SELECT o FROM /r o WHERE ', (i) => `o.a=${i}`, '', ' OR '),
  'texts joined by OR': flood('SELECT o FROM /r o WHERE ', (i) => `o.s='${i}'`, '', ' OR '),
  'inequalities joined by AND': flood('SELECT o FROM /r o WHERE ', (i) => `o.a<>${i}`, '', ' AND '),
  'ranges joined by OR': flood(
    'SELECT o FROM /r o WHERE ',
    (i) => `o.a>${2 * i} AND o.a<${2 * i + 1}`,
    '',
    ' OR ',
  ),
  'ORs joined by AND': flood(
    'SELECT o FROM /r o WHERE ',
    (i) => `(o.a=${i} OR o.s='a')`,
    '',
    ' AND ',
  ),
  'many members': flood('SELECT o FROM /r o WHERE ', (i) => `o.a${i}=1`, '', ' AND '),
  'members that may fail': flood('SELECT o FROM /r o WHERE ', (i) => `o.a${i}>1`, '', ' OR '),
  'members of a map': flood('SELECT o FROM /r o WHERE ', (i) => `o.m['${i}']=1`, '', ' AND '),
  'many projected members': flood('SELECT ', (i) => `o.a${i},`, 'o.b FROM /r o'),
  'many implicit names': flood('SELECT ', (i) => `a${i},`, 'b FROM /r'),
  'implicit names of an outer query': flood(
    'SELECT * FROM /r o WHERE o.a IN (SELECT ',
    (i) => `k+${i},`,
    'key FROM /r.entries e)',
  ),
  'implicit names of many iterators': (length) => {
    const from = flood('', '(SELECT 1 AS a, 2 AS b FROM /r)', '', ',')(length / 2);
    return flood('SELECT ', (i) => `c${i},`, `c FROM /r,${from}`)(length);
  },
  'one path': flood('SELECT o', '.a', ' FROM /r o'),
  'one path of keys': flood('SELECT o', "['a']", ' FROM /r o'),
  'calls in a row': flood('SELECT o', '.trim()', ' FROM /r o'),
  'one long sum': flood('SELECT 1', '+1', ' FROM /r o'),
  'sums in parentheses': flood(
    'SELECT ',
    `${'('.repeat(150)}1${')'.repeat(150)}`,
    ' FROM /r o',
    ',',
  ),
  'parentheses around conditions': flood(
    'SELECT * FROM /r o WHERE ',
    (i) => `${'('.repeat(150)}o.a=${i}${')'.repeat(150)}`,
    '',
    ' AND ',
  ),
  minuses: flood('SELECT ', '- 1,', '1 FROM /r o'),
  'pluses in a row': flood('SELECT ', '+ ', '1 FROM /r o'),
  'NOTs in a row': flood('SELECT * FROM /r o WHERE ', 'NOT ', 'o.a'),
  casts: flood('SELECT ', '(int)o.a,', '1 FROM /r o'),
  'casts of casts': (length) => `SELECT ${'(int)'.repeat(length / 5 - 5)}1 FROM /r`,
  'names in parentheses': flood('SELECT ', '(a)-1,', '1 FROM /r'),
  'comparisons in a row': flood('SELECT * FROM /r o WHERE o.a', '=1', ''),
  'searched CASE': flood('SELECT CASE ', (i) => `WHEN o.a=${i} THEN ${i} `, 'END FROM /r o'),
  'CASE in conditions': flood(
    'SELECT * FROM /r o WHERE ',
    'CASE WHEN o.a=1 THEN TRUE ELSE FALSE END',
    '',
    ' OR ',
  ),
  'CASE in CASE': flood(
    'SELECT ',
    `${'CASE WHEN 1=1 THEN '.repeat(100)}1${' END'.repeat(100)}`,
    ' FROM /r o',
    ',',
  ),
  'many group columns': (length) => {
    const columns = flood('', (i) => `a${i}`, '', ',')(length / 2 - 20);
    return `SELECT ${columns} FROM /r GROUP BY ${columns}`;
  },
  'group columns by their aliases': (length) => {
    const columns = flood('', (i) => `a+${i} AS c${i}`, '', ',')((length * 2) / 3);
    const names = columns.split(',').map((_, i) => `c${i}`);
    return `SELECT ${columns},COUNT(*) AS n FROM /r GROUP BY ${names} ORDER BY n`;
  },
  'sums in HAVING': flood(
    'SELECT b,COUNT(*) FROM /r GROUP BY b HAVING ',
    (i) => `SUM(a+${i})>1`,
    '',
    ' OR ',
  ),
  'sort keys that differ': flood('SELECT * FROM /r o ORDER BY o.a', (i) => `,o.a${i} DESC`, ''),
  'sort keys that are projected': (length) => {
    const columns = flood('', (i) => `o.a${i} AS c${i}`, '', ',')((length * 2) / 3);
    return `SELECT ${columns} FROM /r o ORDER BY ${columns.split(',').map((_, i) => `c${i}`)}`;
  },
  'sort keys that are computed': flood('SELECT * FROM /r o ORDER BY o.a', (i) => `,o.a+${i}`, ''),
  'conditions on regions joined in a row': joined,
  'equalities between two regions': flood(
    'SELECT * FROM /r a,/r b WHERE ',
    (i) => `a.a${i % 50}=b.a${i % 40}`,
    '',
    ' AND ',
  ),
  'named fields of a subquery': (length) => {
    const fields = flood('', (i) => `1 AS f${i}`, '', ',')((length * 2) / 3);
    const names = fields.split(',').map((_, i) => `x.f${i}`);
    return `SELECT ${names} FROM (SELECT ${fields} FROM /r) x`;
  },
  'many subqueries': flood(
    'SELECT * FROM /r o WHERE ',
    'o.a IN (SELECT x.a FROM /r x)',
    '',
    ' AND ',
  ),
  'many subqueries with outer members': flood(
    'SELECT * FROM /r o WHERE ',
    'o.a IN (SELECT x.a FROM /r x WHERE x.b=o.b)',
    '',
    ' AND ',
  ),
  'many ELEMENTs': flood('SELECT ', 'ELEMENT(SELECT 1 FROM /r),', '1 FROM /r o'),
  'NVL in NVL': flood('SELECT ', `${'NVL(o.a,'.repeat(150)}1${')'.repeat(150)}`, ' FROM /r o', ','),
  'defined members': flood('SELECT * FROM /r o WHERE ', (i) => `IS_DEFINED(o.a${i})`, '', ' AND '),
  'absent members': flood('SELECT * FROM /r o WHERE ', 'o.a IS NOT NULL', '', ' AND '),
  'beginnings of texts': flood('SELECT * FROM /r o WHERE ', (i) => `o.s LIKE '${i}%'`, '', ' OR '),
  'one pattern': flood("SELECT * FROM /r o WHERE o.s LIKE '", 'a%', "'"),
  dates: flood('SELECT ', "DATE '2020-01-01',", '1 FROM /r o'),
  'dates that are read': flood('SELECT ', "TO_DATE('1','dd'),", '1 FROM /r o'),
  'one date that is read': flood("SELECT TO_DATE('1','", "d''", "') FROM /r o"),
  characters: flood('SELECT ', "CHAR 'a',", '1 FROM /r o'),
  texts: flood('SELECT ', (i) => `'${i}',`, '1 FROM /r o'),
  'one number': (length) => `SELECT ${'1'.repeat(length - 20)} FROM /r`,
  'one long number': (length) => `SELECT ${'1'.repeat(length - 20)}L FROM /r`,
  'one fraction': (length) => `SELECT 1.${'1'.repeat(length - 20)} FROM /r`,
  fractions: flood('SELECT ', '1.5e3,', '1 FROM /r o'),
  'one name': (length) => `SELECT ${'a'.repeat(length - 20)} FROM /r`,
  'one region': (length) => `SELECT * FROM /${'a'.repeat(length - 20)}`,
  'one blank': (length) => `SELECT * FROM /r${' '.repeat(length - 20)}`,
  'one comment': (length) => `SELECT * FROM /r /*${'*'.repeat(length - 30)}/*/`,
  'numbered parameters': flood(
    'SELECT * FROM /r o WHERE ',
    (i) => `o.a=$${1 + (i % 250)}`,
    '',
    ' OR ',
  ),
  'types of iterators': flood('SELECT * FROM /r a0', ',/r TYPE int', ''),
  'types in types': (length) =>
    `SELECT * FROM /r TYPE ${'set<'.repeat(190)}${'a'.repeat(length - 1000)}${'>'.repeat(190)}`,
  'imported types': (length) => {
    const imports = flood('', (i) => `IMPORT a.b${i};`, '')(length / 2);
    return flood(`${imports}SELECT `, (i) => `(b${i % 2000})o.a,`, '1 FROM /r o')(length);
  },
  'hints of indexes': flood('<HINT ', (i) => `'a${i}',`, "'a'> SELECT * FROM /r o WHERE o.a=1"),
  'calls of unknown functions': flood('SELECT ', (i) => `f${i}(1),`, '1 FROM /r o'),
  'calls that are nearly known': flood('SELECT ', (i) => `o.lenght${i}(),`, '1 FROM /r o'),
  'casts in a set': flood('SELECT * FROM /r o WHERE 1 IN SET(', '(int)o.a,', '1)'),
  'minuses in a set': flood('SELECT * FROM /r o WHERE 1 IN SET(', '-a,', '1)'),
  'names in a set': flood('SELECT * FROM /r o WHERE 1 IN SET(', 'a,', '1)'),
  'names in parentheses in a set': flood('SELECT * FROM /r o WHERE 1 IN SET(', '(a),', '1)'),
  'calls in a set': flood('SELECT * FROM /r o WHERE 1 IN SET(', 'ABS(a),', '1)'),
  'dates that are read in a set': flood(
    'SELECT * FROM /r o WHERE 1 IN SET(',
    "TO_DATE('1','dd'),",
    '1)',
  ),
  'indexes in a row': flood('SELECT * FROM /r o WHERE ', `o${'[1]'.repeat(300)}=1`, '', ' AND '),
  'sets in a set': flood('SELECT * FROM /r o WHERE 1 IN SET(', 'SET(1),', '1)'),
  'definitions in WITH': flood('WITH q AS (/r)', (i) => `,q${i} AS (/r)`, ' SELECT * FROM /r'),
  'joins with a condition': flood(
    'SELECT * FROM /r o ',
    (i) => `JOIN /r o${i} ON o${i}.a=o.a `,
    '',
  ),
  // The most that the weight of a text allows, at 64,000 characters.
  'parts of all kinds': (length) => {
    const parts = (count: number, part: string, separator: string) =>
      Array.from({ length: (count * length) / 64_000 }, () => part).join(separator);
    const columns = parts(250, 'b', ',');
    const queries = parts(60, 'a IN (SELECT x.a FROM /r x WHERE x.b=o.b)', ' OR ');
    const values = `${parts(500, '-a', ',')},${parts(600, 'ABS(a)', ',')}`;
    const sums = parts(125, 'SUM(b+1+1+1)>1', ' OR ');
    const head = `SELECT ${columns} FROM /r o WHERE ${queries} OR 1 IN SET(${values}) OR `;
    const tail = ` GROUP BY ${columns} HAVING ${sums} ORDER BY ${columns}`;
    return flood(head, 'o.a=1', tail, ' OR ')(length / 4);
  },
  'conditions of all kinds': (length) => flood(ALL_ROWS, conditionOfKind, '', ' OR ')(length * 0.6),
  'conditions of one kind after another': (length) => {
    const count = Math.floor(length / 38);
    const conditions = Array.from({ length: count }, (_, i) =>
      conditionOfKind(Math.floor((i * CONDITIONS.length) / count)),
    );
    return `${ALL_ROWS}${conditions.join(' OR ')}`;
  },
  'comparisons of names': flood(ALL_ROWS, 'a=b', '', ' OR '),
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
