// Checks docs/oql.md: each query has the result shown below it, and each row of the tables of expressions
// and conditions is right. UPDATE_GOLDEN=1 rewrites the results of the queries; review the diff.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { assertShown, type Example, examplesOf, startSample } from './examples.ts';

const FILE = new URL('../../docs/oql.md', import.meta.url);
const text = readFileSync(FILE, 'utf8');

/** Documents in which `n` is null, missing, and a long decimal. */
const THINGS = {
  null: '{"k":"null","n":null}',
  missing: '{"k":"missing"}',
  long: '{"k":"long","n":0.1000000000000000055511151231257827}',
};

let service: Awaited<ReturnType<typeof startSample>>;

before(async () => {
  service = await startSample();
  await send('POST', '/grid-admin/v1/regions', '{"name":"things"}');
  for (const [key, value] of Object.entries(THINGS)) {
    await send('PUT', `/grid-api/v1/things/${key}`, value);
  }
});

after(() => service[Symbol.asyncDispose]());

const examples = examplesOf(text, 'sql');
test('there are queries to run', () => assert.ok(examples.length > 20));
for (const example of examples) {
  test(`has the shown result: ${firstLine(example)}`, async () => {
    const result = await run(example.input.text);
    if (process.env['UPDATE_GOLDEN'] === '1') writeResult(example, result);
    else assertShown(result, example.output?.text ?? assert.fail('no result is shown'));
  });
}

const expressions = rowsOf('Expression', 'Result');
test('there are expressions to try', () => assert.ok(expressions.length > 20));
for (const [expression = '', expected = ''] of expressions) {
  test(`${expression} is ${expected}`, async () => {
    assert.equal(await evaluate(expression, expected), expected);
  });
}

const conditions = rowsOf('`WHERE`', '`n` is null', '`n` is missing');
test('there are conditions to try', () => assert.ok(conditions.length > 10));
for (const [condition = '', whenNull = '', whenMissing = ''] of conditions) {
  test(`WHERE ${condition} keeps null: ${whenNull}, missing: ${whenMissing}`, async () => {
    const keeps = async (key: string): Promise<string> => {
      const query = `SELECT * FROM /things t WHERE t.k = '${key}' AND (${condition})`;
      return (await run(query)) === '[]' ? 'out' : 'in';
    };
    assert.deepEqual([await keeps('null'), await keeps('missing')], [whenNull, whenMissing]);
  });
}

const uses = rowsOf('Use', '`n` is null', '`n` is missing');
test('there are uses to try', () => assert.ok(uses.length > 3));
for (const [use = '', ...expected] of uses) {
  test(`${use} is ${expected.join(' and ')}`, async () => {
    for (const [index, key] of ['null', 'missing'].entries()) {
      const value = expected[index] ?? '';
      const from = `/things t WHERE t.k = '${key}'`;
      assert.equal(await evaluate(use, value, from), value);
    }
  });
}

test('a long decimal compares as its nearest double and prints with all its digits', async () => {
  const result = await run("SELECT t.n FROM /things t WHERE t.n = 0.1 AND t.k = 'long'");
  assert.equal(result, '[0.1000000000000000055511151231257827]');
});

/** JSON of an expression, the code of its failure, or UNDEFINED, which is otherwise printed as null. */
async function evaluate(expression: string, expected: string, from = 'SET(0) z'): Promise<string> {
  if (expected === 'UNDEFINED') {
    const result = await run(`SELECT IS_UNDEFINED(${expression}) FROM ${from}`);
    return result === '[true]' ? 'UNDEFINED' : result;
  }
  const result = await run(`SELECT ${expression} FROM ${from}`);
  const isFailure = !result.startsWith('[');
  return isFailure ? (result.split('\n', 1)[0] ?? '') : result.slice(1, -1);
}

/** The result as JSON, or the code of the failure and its message on further lines. */
async function run(query: string): Promise<string> {
  const params = /^-- params: (.+)$/m.exec(query)?.[1] ?? '[]';
  const body = `{"oql":${JSON.stringify(query.trim())},"params":${params}}`;
  const answer = await send('POST', '/grid-api/v1/queries/adhoc', body);
  if (answer.startsWith('[')) return answer;
  const { code, message } = JSON.parse(answer);
  return `${code}\n${message}`;
}

async function send(method: string, path: string, body: string): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(service.url + path, { method, headers, body });
  return answer.text();
}

/** The cells of every table with these headings first, without the backquotes around code. */
function rowsOf(...headings: readonly string[]): readonly (readonly string[])[] {
  const head = `| ${headings.join(' | ')} |`;
  const tables = text.split('\n\n').filter((part) => part.startsWith(head));
  return tables.flatMap((table) => table.trim().split('\n').slice(2)).map(cellsOf);
}

function cellsOf(row: string): readonly string[] {
  const cells = row.split(/(?<!\\)\|/).slice(1, -1);
  return cells.map((cell) =>
    cell
      .trim()
      .replaceAll('\\|', '|')
      .replace(/^`(.*)`$/, '$1'),
  );
}

function firstLine({ input }: Example): string {
  return input.text.split('\n').find((line) => !line.startsWith('--')) ?? '';
}

function writeResult({ input, output }: Example, result: string): void {
  if (output?.text.includes('…')) return;
  const fence = '```';
  const shown = `${input.text}${fence}\n\n${fence}${output?.language}\n`;
  const whole = readFileSync(FILE, 'utf8');
  const before = `${shown}${output?.text}${fence}`;
  writeFileSync(
    FILE,
    whole.replace(before, () => `${shown}${result}\n${fence}`),
  );
}
