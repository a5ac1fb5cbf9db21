// I1, bodies of every kind, valid and broken. Every answer is documented for the endpoint and is JSON,
// and every accepted body is read back the same.

import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { anyCharacter } from '../../src/value/testing/any-character.ts';
import type { Answer } from '../http-client.ts';
import { ENGINES, Service } from '../service.ts';
import { checkGenerated, type Family, type Figures, replay, type Work } from './family.ts';

const AT_ONCE = 50;
/** Of a value; the generator nests around it. */
const MAX_DEPTH = 200;
/** Both engines, because they store values differently. */
const SHARES = { memory: 0.7, sqlite: 0.3, postgres: 0.3 } as const;

export const jsonBodies: Family = {
  id: 'I1',
  title: 'JSON bodies, generated and damaged',
  bar: '200 or 400, JSON, read back the same',
  cases: 10_000,
  benchCases: 1_000_000,
  run: runJsonBodies,
};

async function runJsonBodies({ cases, onProgress, seed }: Work): Promise<Figures> {
  const prototype = Object.getOwnPropertyNames(Object.prototype).sort();
  let accepted = 0;
  let done = 0;
  let replayed = 0;
  for (const engine of ENGINES) {
    await using service = await Service.start({ engine });
    const region = await service.region();
    // Text, or bytes in hexadecimal digits.
    replayed += await replay('I1', async (input: string | { readonly hex: string }) => {
      const bytes = typeof input === 'string' ? Buffer.from(input) : Buffer.from(input.hex, 'hex');
      await checkBodies(service, region, [bytes]);
    });
    const work = {
      cases: cases * SHARES[engine],
      onProgress: (count: number) => onProgress(done + count),
      seed,
      atOnce: AT_ONCE,
    };
    done += await checkGenerated(body(), work, async (bodies) => {
      accepted += await checkBodies(service, region, bodies);
      service.observations.length = 0;
    });
    assert.equal((await service.get('/ping')).status, 200);
  }
  assert.deepEqual(Object.getOwnPropertyNames(Object.prototype).sort(), prototype);
  assert.ok(accepted > 0 && accepted < done, 'the generator must make both kinds');
  return { cases: done, replayed, outcome: `${accepted} accepted, ${done - accepted} refused` };
}

/** Returns how many bodies were accepted; the region must contain exactly these. */
async function checkBodies(
  service: Service,
  region: string,
  bodies: readonly Buffer[],
): Promise<number> {
  const keys = bodies.map((_, i) => `k${i}`);
  await service.send('DELETE', `/${region}`);
  const statuses = await Promise.all(
    bodies.map((bytes, i) => putAndCheck(service, region, keys[i] ?? '', bytes)),
  );
  const expected = new Map<string, string>();
  for (const [i, bytes] of bodies.entries()) {
    if (statuses[i] === 200) expected.set(keys[i] ?? '', withoutBlanks(bytes.toString()));
  }
  assert.deepEqual(await service.stored(region), Object.fromEntries(expected));
  const read = await service.get(`/${region}?limit=ALL`);
  const inOrder = [...expected.keys()].sort().map((key) => expected.get(key));
  assert.equal(read.text, `{"${region}":[${inOrder.join(',')}]}`);
  return expected.size;
}

async function putAndCheck(
  service: Service,
  region: string,
  key: string,
  bytes: Buffer,
): Promise<number> {
  const answer = await service.send('PUT', `/${region}/${key}`, { body: bytes });
  assert.equal(
    answer.status,
    isAcceptable(bytes) ? 200 : 400,
    `${answer.text} for ${JSON.stringify(bytes.toString())}, hex ${bytes.toString('hex')}`,
  );
  if (answer.status === 200) assert.equal(answer.text, '');
  else checkPosition(answer, bytes);
  return answer.status;
}

function checkPosition(answer: Answer, bytes: Buffer): void {
  const { code, cause, position } = JSON.parse(answer.text);
  assert.equal(typeof cause, 'string');
  if (code !== 'request/bad-json') {
    assert.ok(['grid/bad-value', 'request/no-body'].includes(code), code);
    return;
  }
  assert.ok(position.offset >= 0 && position.offset <= bytes.length);
  assert.ok(position.line >= 1 && position.column >= 1);
}

/** An independent implementation of the rules for a value. */
function isAcceptable(bytes: Buffer): boolean {
  if (!isUtf8(bytes)) return false;
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString());
  } catch {
    return false;
  }
  const values = Array.isArray(parsed) ? parsed : [parsed];
  if (values.some((one) => typeof one !== 'object' || one === null || Array.isArray(one))) {
    return false;
  }
  // JSON.parse keeps the last of two members with one name, so the number of members shrinks.
  const colons = bytes.toString().replace(STRING, '').split(':').length - 1;
  const { depth, members, wellFormed } = measure(parsed);
  return members === colons && depth <= MAX_DEPTH && wellFormed;
}

const STRING = /"(?:[^"\\]|\\.)*"/g;

function measure(parsed: unknown): { members: number; depth: number; wellFormed: boolean } {
  if (typeof parsed === 'string') {
    return { members: 0, depth: 0, wellFormed: parsed.isWellFormed() };
  }
  if (typeof parsed !== 'object' || parsed === null) {
    return { members: 0, depth: 0, wellFormed: true };
  }
  const names = Array.isArray(parsed) ? [] : Object.keys(parsed);
  const inner = Object.values(parsed).map(measure);
  return {
    members: inner.reduce((sum, one) => sum + one.members, names.length),
    depth: inner.reduce((deepest, one) => Math.max(deepest, one.depth), 0) + 1,
    wellFormed: names.every((name) => name.isWellFormed()) && inner.every((one) => one.wellFormed),
  };
}

/** The text without white space outside strings, by an independent implementation. */
function withoutBlanks(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|[ \t\r\n]+/g, (piece) => (piece[0] === '"' ? piece : ''));
}

const blank = fc.constantFrom('', '', '', ' ', '\n', '\t', '\r\n', '   ');

const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt().map(String),
  fc.constantFrom('20.0', '-0', '-0.0', '1E400', '1e-400', '0.1e+05', '9223372036854775808'),
  fc.nat(300).map((digits) => `1${'0'.repeat(digits)}.5`),
);

const string = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
  fc.string({ unit: anyCharacter }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '"\\u0000"',
    '"\\ud83d\\ude00"',
    '"\\/\\b\\f"',
    '"@type"',
    '"\u2028"',
    '"__proto__"',
    '"\\u005f_proto__"',
  ),
);

const { value } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    number,
    string,
    fc.constantFrom('true', 'false', 'null'),
    tie('array'),
    tie('object'),
  ),
  array: fc
    .tuple(fc.array(tie('value'), { maxLength: 4 }), blank)
    .map(([items, space]) => `[${space}${items.join(`${space},${space}`)}${space}]`),
  object: fc
    .tuple(fc.array(fc.tuple(string, tie('value')), { maxLength: 5 }), blank)
    .map(([members, space]) => {
      const texts = members.map(([name, text]) => `${name}${space}:${space}${text}`);
      return `{${space}${texts.join(`${space},${space}`)}${space}}`;
    }),
}));

const object = fc
  .tuple(fc.array(fc.tuple(string, value), { maxLength: 6 }), blank)
  .map(([members, space]) => {
    const texts = members.map(([name, text]) => `${space}${name}${space}:${text}${space}`);
    return `${space}{${texts.join(',')}}${space}`;
  });

const nested = fc
  .tuple(fc.integer({ min: MAX_DEPTH - 10, max: MAX_DEPTH + 10 }), fc.constantFrom('[', '{"a":'))
  .map(([depth, open]) => `${open.repeat(depth)}{}${(open === '[' ? ']' : '}').repeat(depth)}`);

const special = fc.constantFrom(
  '\uFEFF{}',
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":2}',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"a":"\\ud800"}',
  `{"a":"\\udc00\\ud800"}`,
  '{"a":1}//',
  '{"a":/**/1}',
  '{a:1}',
  '',
  ' ',
);

/** Bytes of a body: well-formed, of another kind, or damaged. */
function body(): fc.Arbitrary<Buffer> {
  const text = fc.oneof(
    { weight: 8, arbitrary: object },
    { weight: 2, arbitrary: value },
    { weight: 1, arbitrary: nested },
    { weight: 1, arbitrary: special },
  );
  const damage = fc.array(
    fc.tuple(
      fc.constantFrom('flip', 'insert', 'remove', 'double', 'cut'),
      fc.nat(),
      fc.constantFrom(0x00, 0x22, 0x2c, 0x5c, 0x7b, 0x7d, 0x5b, 0x80, 0xc3, 0xed, 0xff, 0x0a, 0x30),
    ),
    { minLength: 1, maxLength: 3 },
  );
  return fc.oneof(
    { weight: 10, arbitrary: text.map((whole) => Buffer.from(whole)) },
    {
      weight: 10,
      arbitrary: fc
        .tuple(text, damage)
        .map(([whole, changes]) => changes.reduce(applyDamage, Buffer.from(whole))),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
  );
}

function applyDamage(
  bytes: Buffer,
  [kind, position, byte]: readonly [string, number, number],
): Buffer {
  const at = bytes.length === 0 ? 0 : position % bytes.length;
  const before = bytes.subarray(0, at);
  switch (kind) {
    case 'flip':
      return Buffer.concat([before, Buffer.from([byte]), bytes.subarray(at + 1)]);
    case 'insert':
      return Buffer.concat([before, Buffer.from([byte]), bytes.subarray(at)]);
    case 'remove':
      return Buffer.concat([before, bytes.subarray(at + 1)]);
    case 'double':
      return Buffer.concat([bytes.subarray(0, at + 5), bytes.subarray(at)]);
    default:
      return before;
  }
}
