// I7, bind parameters of every kind in every position, including region paths and OQL. An independent
// oracle decides the meaning of a value: it is compared, counted or returned as this value, or refused
// with the right kind of failure. It is never interpreted as OQL or as the name of a region.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Answer, json } from '../http-client.ts';
import { Service } from '../service.ts';
import { checkGenerated, type Family, type Figures, replay, type Work } from './family.ts';

const AT_ONCE = 25;
/** A value in the region that no query names. */
const CANARY = 'canary-4711';

export const bindParameters: Family = {
  id: 'I7',
  title: 'bind parameters of every kind, OQL and region paths as values',
  bar: 'only ever values, 500 of the right class',
  cases: 5_000,
  benchCases: 5_000,
  run: (work) => runBindParameters(work),
};

interface Parameter {
  readonly type: string;
  /** The value as JSON text. */
  readonly json: string;
}

export interface BindCase {
  /** A name of QUERIES. */
  readonly query: string;
  readonly isNamed: boolean;
  readonly parameters: readonly Parameter[];
}

type Expected =
  | { readonly rows: readonly unknown[] }
  | { readonly code: string; readonly failure: string }
  | 'either';

/** A query with its parameter in one position. */
interface TestedQuery {
  readonly oql: string;
  /** The expected outcome for a value of its type. */
  readonly expect: (value: unknown, kind: Kind) => Expected;
}

type Kind = 'integer' | 'fraction' | 'boolean' | 'string' | 'char' | 'date' | 'null';

/** Texts that would do harm, or find everything, if they were interpreted as query text. */
const DANGEROUS = [
  '/secret',
  '/secret s',
  '/secret.values',
  'secret',
  '/_queries',
  'SELECT * FROM /secret',
  '(SELECT s.word FROM /secret s)',
  "' OR '1'='1",
  "x' OR TRUE OR 'x'='",
  'x" OR TRUE --',
  '1 OR TRUE',
  'TRUE',
  'NULL',
  'UNDEFINED',
  'o.s',
  'o',
  '$1',
  ':p',
  'SET(1)',
  '/* */',
  '; DELETE',
  '__proto__',
  'constructor',
  'toString',
  'word',
  '%',
  '_',
  '',
];

const ROWS = DANGEROUS.map((s, id) => ({ id, n: id - 5, s }));

function idsWhere(holds: (row: (typeof ROWS)[number]) => boolean): Expected {
  return { rows: ROWS.filter(holds).map(({ id }) => id) };
}

const MISMATCH = { code: 'oql/type-mismatch', failure: 'type-mismatch' };
const WRONG_TYPE = { code: 'oql/parameter-type', failure: 'type-mismatch' };
const WRONG_COUNT = { code: 'oql/parameter-count', failure: 'parameter-count' };
const NO_ROW_COUNT = { code: 'oql/row-count-invalid', failure: 'other' };

/** `=` of different types is false. */
function equalTo(value: unknown, kind: Kind): Expected {
  if (kind === 'string') return idsWhere(({ s }) => s === value);
  return kind === 'char' || kind === 'date' ? 'either' : { rows: [] };
}

const QUERIES: Readonly<Record<string, TestedQuery>> = {
  equal: { oql: 'SELECT o.id FROM /r o WHERE o.s = $1', expect: equalTo },
  reversed: { oql: 'SELECT o.id FROM /r o WHERE $1 = o.s', expect: equalTo },
  inSet: { oql: 'SELECT o.id FROM /r o WHERE o.s IN SET($1)', expect: equalTo },
  inSubquery: {
    oql: 'SELECT o.id FROM /r o WHERE o.id IN (SELECT p.id FROM /r p WHERE p.s = $1)',
    expect: equalTo,
  },
  given: {
    oql: 'SELECT $1 FROM /r o WHERE o.id = 1',
    expect: (value, kind) =>
      ['boolean', 'integer', 'null', 'string', 'char'].includes(kind)
        ? { rows: [value] }
        : 'either',
  },
  from: {
    oql: 'SELECT x FROM $1 x',
    expect: (_, kind) => (kind === 'null' ? { rows: [] } : WRONG_TYPE),
  },
  limit: {
    oql: 'SELECT o.id FROM /r o ORDER BY o.id LIMIT $1',
    expect: (value, kind) => {
      if (kind === 'fraction') return 'either';
      if (kind === 'null') return idsWhere(() => true);
      if (kind !== 'integer') return NO_ROW_COUNT;
      return idsWhere(({ id }) => Number(value) < 0 || id < Number(value));
    },
  },
  less: {
    oql: 'SELECT o.id FROM /r o WHERE o.n < $1',
    expect: (value, kind) => {
      if (kind === 'null' || kind === 'date') return 'either';
      if (kind !== 'integer' && kind !== 'fraction') return MISMATCH;
      return idsWhere(({ n }) => n < Number(value));
    },
  },
  member: {
    oql: 'SELECT o[$1] FROM /r o WHERE o.id = 1',
    expect: (value, kind) => {
      if (kind !== 'string') return 'either';
      const [, row] = ROWS;
      return { rows: [Object.entries(row ?? {}).find(([name]) => name === value)?.[1] ?? null] };
    },
  },
  like: {
    oql: 'SELECT o.id FROM /r o WHERE o.s LIKE $1',
    expect: (value, kind) => {
      if (kind !== 'string' || String(value).includes('\\')) return 'either';
      return idsWhere(({ s }) => isLike(s, String(value)));
    },
  },
};

function isLike(text: string, pattern: string): boolean {
  const source = pattern
    .replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
    .replaceAll('%', '[^]*')
    .replaceAll('_', '[^]');
  return new RegExp(`^${source}$`).test(text);
}

/** `send` sends the parameters of a case; the control sends them in a wrong way. */
export async function runBindParameters(work: Work, send: Send = sendBound): Promise<Figures> {
  await using service = await Service.start();
  for (const name of ['r', 'secret']) await service.grid.createRegion({ name });
  const keyed = ROWS.map((row) => [`k${String(row.id).padStart(3, '0')}`, JSON.stringify(row)]);
  await service.put('r', Object.fromEntries(keyed));
  await service.put('secret', { s: JSON.stringify({ id: 1, s: CANARY, word: CANARY }) });
  for (const [id, { oql }] of Object.entries(QUERIES)) await service.grid.createQuery({ id, oql });
  let answered = 0;
  const check = async (one: BindCase): Promise<void> => {
    if (await checkCase(one, (query) => send(service, one, query.oql))) answered += 1;
  };
  const replayed = await replay('I7', check);
  answered = 0;
  const done = await checkGenerated(bindCase(), { ...work, atOnce: AT_ONCE }, async (batch) => {
    await Promise.all(batch.map(check));
    service.observations.length = 0;
  });
  assert.ok(answered > 0 && answered < done, 'the generator must make both kinds');
  const outcome = `${answered} answered, ${done - answered} refused with their class`;
  return { cases: done, replayed, outcome };
}

type Send = (service: Service, one: BindCase, oql: string) => Promise<Answer>;

function sendBound(service: Service, one: BindCase, oql: string): Promise<Answer> {
  const list = one.parameters.map(
    (it) => `{"@type":${JSON.stringify(it.type)},"@value":${it.json}}`,
  );
  const params = `[${list.join(',')}]`;
  if (one.isNamed) return service.send('POST', `/queries/${one.query}`, { body: params });
  const body = `{"oql":${JSON.stringify(oql)},"params":${params}}`;
  return service.send('POST', '/queries/adhoc', { body });
}

/** Returns whether there were rows. */
async function checkCase(
  one: BindCase,
  send: (query: TestedQuery) => Promise<Answer>,
): Promise<boolean> {
  const query = QUERIES[one.query];
  assert.ok(query !== undefined, `no query is called ${one.query}`);
  const answer = await send(query);
  const shown = `${JSON.stringify(one)} got ${answer.status} ${answer.text}`;
  assert.ok(!answer.text.includes(CANARY), shown);
  const expected = expectedOf(query, one.parameters);
  if (answer.status === 200) {
    assert.ok(expected === 'either' || 'rows' in expected, shown);
    if (expected !== 'either') assert.deepEqual(json(answer), expected.rows, shown);
    return true;
  }
  assert.equal(answer.status, 500, shown);
  const { code, failure } = Object(json(answer));
  if (expected === 'either') {
    // A value that was interpreted as OQL, or as a region, would fail differently.
    assert.match(code, /^oql\//, shown);
    assert.ok(['type-mismatch', 'other', 'function-domain'].includes(failure), shown);
  } else assert.deepEqual({ code, failure }, expected, shown);
  return false;
}

function expectedOf(query: TestedQuery, [parameter, ...more]: readonly Parameter[]): Expected {
  if (parameter === undefined || more.length > 0) return WRONG_COUNT;
  // Tests of the language check where a list is allowed; here the canary must stay hidden.
  if (parameter.type === 'list' && /^(?:\[|null)/.test(parameter.json)) return 'either';
  const read = readParameter(parameter);
  return read === undefined ? WRONG_TYPE : query.expect(read.value, read.kind);
}

const RANGES: ReadonlyMap<string, bigint> = new Map([
  ['byte', 1n << 7n],
  ['short', 1n << 15n],
  ['int', 1n << 31n],
  ['integer', 1n << 31n],
  ['long', 1n << 63n],
]);
const FRACTIONS = ['float', 'double', 'decimal', 'bigdecimal'];

/** The value of a parameter; undefined if it is not of its type, by the table of docs/oql.md. */
function readParameter({
  json: text,
  type,
}: Parameter): { readonly value: unknown; readonly kind: Kind } | undefined {
  const parsed: unknown = JSON.parse(text);
  const name = type
    .trim()
    .toLowerCase()
    .replace(/^java\.(lang|util|math)\./, '');
  const isText = typeof parsed === 'string';
  const trimmed = isText ? parsed.trim() : text;
  const isKnown =
    RANGES.has(name) ||
    FRACTIONS.includes(name) ||
    /^(big(int|integer)|boolean|string|char|character|date|null)$/.test(name);
  if (!isKnown) return undefined;
  if (parsed === null) return { value: null, kind: 'null' };
  if (RANGES.has(name) || name.startsWith('bigint')) {
    if (!/^-?\d+$/.test(trimmed)) return undefined;
    const whole = BigInt(trimmed);
    const range = RANGES.get(name);
    if (range !== undefined && (whole < -range || whole >= range)) return undefined;
    return { value: Number(whole), kind: 'integer' };
  }
  if (FRACTIONS.includes(name)) {
    const value = /^-?(\d+|\d*\.\d+)([eE][+-]?\d+)?$/.test(trimmed) ? Number(trimmed) : Number.NaN;
    const rounded = name === 'float' ? Math.fround(value) : value;
    return Number.isFinite(rounded) ? { value: rounded, kind: 'fraction' } : undefined;
  }
  switch (name) {
    case 'boolean': {
      const word = trimmed.toLowerCase();
      return word === 'true' || word === 'false'
        ? { value: word === 'true', kind: 'boolean' }
        : undefined;
    }
    case 'string':
      return isText ? { value: parsed, kind: 'string' } : undefined;
    case 'char':
    case 'character':
      return isText && parsed.length === 1 ? { value: parsed, kind: 'char' } : undefined;
    case 'date': {
      const isDate =
        /^-?\d{1,15}$/.test(trimmed) || /^\d{4}-\d{2}-\d{2}([ T][\d:]{8}Z?)?$/.test(trimmed);
      return isDate ? { value: trimmed, kind: 'date' } : undefined;
    }
    default:
      return undefined;
  }
}

function bindCase(): fc.Arbitrary<BindCase> {
  const type = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom('string', 'string', 'String', 'java.lang.String'),
    },
    {
      weight: 8,
      arbitrary: fc.constantFrom(
        ...[
          'byte',
          'short',
          'int',
          'integer',
          'long',
          'bigint',
          'biginteger',
          ' Long ',
          'java.lang.Integer',
        ],
        ...[
          'float',
          'double',
          'decimal',
          'bigdecimal',
          'boolean',
          'char',
          'character',
          'date',
          'null',
        ],
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...DANGEROUS,
        'object',
        'java.lang.Object',
        'list',
        'region',
        'struct',
      ),
    },
  );
  const number = fc.oneof(
    fc.integer({ min: -200, max: 200 }).map(String),
    fc.bigInt({ min: -(1n << 70n), max: 1n << 70n }).map(String),
    fc.constantFrom(
      '127',
      '128',
      '-129',
      '32768',
      '2147483647',
      '2147483648',
      '1.5',
      '1e39',
      '1e400',
    ),
    fc.constantFrom('9223372036854775807', '9223372036854775808', '110.0', '0.1'),
  );
  const text = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...DANGEROUS) },
    { weight: 2, arbitrary: fc.constantFrom('2024-02-29', '2024-02-29 01:02:03', 'true', 'x') },
    { weight: 1, arbitrary: number },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...DANGEROUS), fc.constantFrom(...DANGEROUS))
        .map((parts) => parts.join('')),
    },
  );
  const value = fc.oneof(
    { weight: 6, arbitrary: text.map((it) => JSON.stringify(it)) },
    { weight: 4, arbitrary: number },
    { weight: 1, arbitrary: fc.constantFrom('true', 'false', 'null') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('[]', '{}', '["/secret"]', '[1,2]', '{"a":1}', '[[]]'),
    },
  );
  const parameter = fc.record({ type, json: value });
  return fc.record({
    query: fc.constantFrom(...Object.keys(QUERIES)),
    isNamed: fc.boolean(),
    parameters: fc.oneof(
      { weight: 15, arbitrary: fc.tuple(parameter) },
      { weight: 1, arbitrary: fc.array(parameter, { maxLength: 3 }) },
    ),
  });
}
