import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyAs } from './copy-as.ts';

const query = {
  url: 'http://127.0.0.1:7070',
  text: "SELECT * FROM /o WHERE s = 'it''s'",
  parameters: { n: 9007199254740993n, list: ['a', 3] },
};

test('the body of the curl command is quoted for a shell', () => {
  const command = copyAs('curl', query);
  assert.match(command, /^curl 'http:\/\/127\.0\.0\.1:7070\/grid-api\/v1\/queries\/adhoc'/);
  assert.ok(command.includes(String.raw`s = '\''it'\'''\''s'\''`));
  const list = '{"@type":"list","@value":["a",3]}';
  assert.ok(command.includes(`"params":{"n":9007199254740993,"list":${list}}`));
});

test('dates and large integers keep their types and digits', () => {
  const day = new Date('2026-11-16T09:30:00Z');
  const dates = { ...query, parameters: [day, [9007199254740993n], { type: 'int', value: 7 }] };
  const text = '"2026-11-16T09:30:00.000Z"';
  const json = `[{"@type":"date","@value":${text}},{"@type":"list","@value":[9007199254740993]},{"@type":"int","@value":7}]`;
  assert.ok(copyAs('curl', dates).includes(`"params":${json}`));
  const code = copyAs('typescript', dates);
  assert.ok(code.includes(`, [new Date(${text}),[9007199254740993n],{"type":"int","value":7}])`));
});

test('a query without parameters is copied without them', () => {
  const plain = copyAs('fetch', { ...query, parameters: [] });
  assert.ok(!plain.includes('params'));
  assert.ok(copyAs('typescript', { ...query, parameters: [] }).includes('.adhoc("SELECT'));
});
