import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { indentJson, indentStream, type JsonLayout } from './indented-json.ts';

const LAYOUT: JsonLayout = { colon: ' : ', elements: 'one-line', gap: ' ' };

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

test('members are on separate lines, elements on one, and empty brackets contain a blank', () => {
  const json = '{"a":1,"b":[1,"x, y",null,[2]],"c":{"d":{},"e":[]},"f":[{"g":1},{"h":2.50}]}';
  const lines = [
    '{',
    '  "a" : 1,',
    '  "b" : [ 1, "x, y", null, [ 2 ] ],',
    '  "c" : {',
    '    "d" : { },',
    '    "e" : [ ]',
    '  },',
    '  "f" : [ {',
    '    "g" : 1',
    '  }, {',
    '    "h" : 2.50',
    '  } ]',
    '}',
  ];
  assert.equal(text(indentJson(json, LAYOUT)), lines.join('\n'));
});

test('any JSON keeps its meaning, however it is split', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.integer({ min: 1, max: 7 }), async (json, size) => {
      const compact = Buffer.from(JSON.stringify(JSON.parse(json)));
      async function* pieces(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < compact.length; at += size) yield compact.subarray(at, at + size);
      }
      const printed: Buffer[] = [];
      for await (const piece of indentStream(pieces(), LAYOUT)) printed.push(Buffer.from(piece));
      const whole = Buffer.concat(printed).toString();
      assert.equal(whole, text(indentJson(compact, LAYOUT)));
      assert.deepEqual(JSON.parse(whole), JSON.parse(json));
    }),
  );
});
