import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../value/testing/any-character.ts';
import { BadEntryError } from './bad-entry.ts';
import { parseEntryLine, printEntryLines, readLines } from './entry-lines.ts';
import type { TextEntry } from './grid-access.ts';

/** Parses text that arrives in pieces of a size. */
async function parse(
  text: string | Uint8Array,
  pieceBytes = 1 << 16,
): Promise<readonly TextEntry[]> {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      yield bytes.subarray(at, at + pieceBytes);
    }
  }
  const entries: TextEntry[] = [];
  for await (const line of readLines(pieces())) entries.push(parseEntryLine(line));
  return entries;
}

test('printed entries are parsed back byte for byte, in pieces of any size', async () => {
  const entry = fc.record(
    {
      key: fc.string({ unit: anyCharacter, minLength: 1 }),
      value: fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
      expires: fc.integer({ min: 0, max: Date.parse('9999-12-31T23:59:59.999Z') }),
    },
    { noNullPrototype: true, requiredKeys: ['key', 'value'] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { maxLength: 5 }),
      fc.integer({ min: 1, max: 50 }),
      async (entries, size) => {
        assert.deepEqual(await parse(printEntryLines(entries), size), entries);
      },
    ),
  );
});

test('numbers keep their form; blank lines and a byte order mark are ignored', async () => {
  const text = '\uFEFF{"key":"a","value":{"n":20.0,"big":9007199254740993}}\r\n\n  \n';
  assert.deepEqual(await parse(`${text}{ "value" : {} , "key" : "b" }`), [
    { key: 'a', value: '{"n":20.0,"big":9007199254740993}' },
    { key: 'b', value: '{}' },
  ]);
});

test('a bad line is named by its number, blank lines counted', async () => {
  const good = '{"key":"a","value":{}}\n';
  const cases: readonly (readonly [string | Uint8Array, RegExp])[] = [
    ['{"key":"a","value":{}', /at byte 22/],
    ['[]', /not an object/],
    ['{"key":"a"}', /exactly the members "key" and "value"/],
    ['{"key":"a","value":{},"more":1}', /exactly the members/],
    ['{"key":"a","expires":"2026-03-01T12:00:00Z"}', /exactly the members/],
    ['{"key":"a","value":{},"expires":1794819600000}', /"expires" must be a time/],
    ['{"key":"a","value":{},"expires":"tomorrow"}', /"expires" must be a time/],
    ['{"key":7,"value":{}}', /key must be a string/],
    ['{"key":"a","key":"b","value":{}}', /at byte/],
    ['{"key":"\\ud800","value":{}}', /at byte/],
    [Buffer.from([0x7b, 0xff]), /not valid UTF-8/],
  ];
  for (const [line, reason] of cases) {
    const text = Buffer.concat([Buffer.from(`${good}\n`), Buffer.from(line)]);
    await assert.rejects(parse(text), (error) => {
      assert.ok(error instanceof BadEntryError, String(error));
      assert.deepEqual(error.position, { unit: 'line', number: 3 });
      assert.match(error.message, reason);
      return true;
    });
  }
});
