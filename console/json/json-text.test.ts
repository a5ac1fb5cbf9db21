import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { childrenOf, indentJson, kindAt, rootOf, showHidden, showName } from './json-text.ts';
import { mergeJson } from './merge-json.ts';

/** The value of the text, found part by part. */
function rebuild(text: string, start: number, end: number): unknown {
  const kind = kindAt(text, start);
  if (kind === 'array') return childrenOf(text, start).map((c) => rebuild(text, c.start, c.end));
  if (kind !== 'object') return JSON.parse(text.slice(start, end));
  return Object.fromEntries(
    childrenOf(text, start).map((c) => [c.name, rebuild(text, c.start, c.end)]),
  );
}

test('the parts of any value are found, compact or indented', () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'small' }), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const { end, start } = rootOf(` ${text} `);
      assert.equal(` ${text} `.slice(start, end), text);
      assert.deepEqual(rebuild(text, 0, text.length), JSON.parse(text));
      assert.deepEqual(JSON.parse(indentJson(text)), JSON.parse(text));
      assert.equal(indentJson(indentJson(text)), indentJson(text));
    }),
  );
});

test('numbers keep every digit, and empty ones stay on a line', () => {
  const text = '{"a":20.0,"b":9007199254740993,"c":1E+2,"d":{},"e":[],"f":"\\" {"}';
  const indented = indentJson(text);
  assert.ok(indented.includes('"a": 20.0'));
  assert.ok(indented.includes('"b": 9007199254740993'));
  assert.ok(indented.includes('"c": 1E+2'));
  assert.ok(indented.includes('"d": {}') && indented.includes('"e": []'));
  const names = childrenOf(text, 0).map(({ end, name, start }) => [name, text.slice(start, end)]);
  assert.deepEqual(names[1], ['b', '9007199254740993']);
  assert.deepEqual(names[5], ['f', '"\\" {"']);
});

test('hidden characters are spelt out', () => {
  assert.equal(showHidden('a\u202eb\u0000c\u200f'), 'a\\u202eb\\u0000c\\u200f');
  assert.equal(showHidden('Grüße שלום 東京'), 'Grüße שלום 東京');
});

test('changes of different members are put together, others are conflicts', () => {
  const base = '{"a":1.0,"b":{"c":2,"d":3},"e":[1]}';
  const theirs = '{"a":1.0,"b":{"c":2,"d":30},"e":[1],"f":4}';
  const mine = '{ "a": 1.50, "b": {"c": 20, "d": 3}, "e": [1] }';
  assert.deepEqual(mergeJson(base, theirs, mine), {
    text: '{"a":1.50,"b":{"c":20,"d":30},"e":[1],"f":4}',
    conflicts: [],
  });
  assert.deepEqual(mergeJson('{"a":1}', '{"a":2}', '{"a":3}'), {
    text: '{"a":3}',
    conflicts: ['a'],
  });
  assert.deepEqual(mergeJson('{"a":1,"b":1}', '{"a":1}', '{"a":1,"b":2}').conflicts, ['b']);
  assert.deepEqual(mergeJson('[1]', '[2]', '[3]').conflicts, ['(the whole value)']);
});

test('shows names with white space at an end in quotes', () => {
  assert.deepEqual(['', 'a b', ' a', 'a\t'].map(showName), ['""', 'a b', '" a"', '"a\\t"']);
});

test('merging with an unchanged side gives the other side', () => {
  const document = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 1 }));
  fc.assert(
    fc.property(document, document, (base, changed) => {
      const [before, after] = [JSON.stringify(base), JSON.stringify(changed)];
      assert.deepEqual(mergeJson(before, before, after), { text: after, conflicts: [] });
      assert.deepEqual(mergeJson(before, after, before), { text: after, conflicts: [] });
    }),
  );
});
