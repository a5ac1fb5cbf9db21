import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BadEntryError } from './bad-entry.ts';
import type { TextEntry } from './grid-access.ts';
import { findInputFormat, type InputFormat, readEntries } from './read-entries.ts';

/** Reads text that arrives in pieces of a size. */
async function read(
  text: string | Uint8Array,
  format: InputFormat,
  { key, pieceBytes = 1 << 16 }: { readonly key?: string; readonly pieceBytes?: number } = {},
): Promise<readonly TextEntry[]> {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      yield bytes.subarray(at, at + pieceBytes);
    }
  }
  const entries: TextEntry[] = [];
  for await (const { entry } of readEntries(pieces(), { format, keyMember: key })) {
    entries.push(entry);
  }
  return entries;
}

test('the extension of a file determines its format, compressed or not', () => {
  assert.deepEqual(
    ['a.json', 'a.JSON.gz', 'a.csv.zst', 'a.tsv', 'a.ndjson', 'a.txt', 'csv', ''].map(
      findInputFormat,
    ),
    ['json', 'json', 'csv', 'tsv', 'ndjson', 'ndjson', 'ndjson', 'ndjson'],
  );
});

test('documents of an array have their key in id, or in the member that is named', async () => {
  const text = ' [ {"id": 7, "n": 20.0}, {"id":"x","a":{"b":"k,[]"}} ] ';
  assert.deepEqual(await read(text, 'json'), [
    { key: '7', value: '{"id":7,"n":20.0}' },
    { key: 'x', value: '{"id":"x","a":{"b":"k,[]"}}' },
  ]);
  assert.deepEqual(await read('[{"id":1,"a":{"b":"k"}}]', 'json', { key: 'a.b' }), [
    { key: 'k', value: '{"id":1,"a":{"b":"k"}}' },
  ]);
  assert.deepEqual(await read('[{"key":"k","value":{"n":1}}]', 'json'), [
    { key: 'k', value: '{"n":1}' },
  ]);
  assert.deepEqual(await read('[{"key":"k","value":{"n":1}}]', 'json', { key: 'key' }), [
    { key: 'k', value: '{"key":"k","value":{"n":1}}' },
  ]);
  assert.deepEqual(await read('[]', 'json'), []);
});

test('members of an object are entries by key', async () => {
  assert.deepEqual(await read('{"a\\"b": {"n":1}, "c":[{"m":9007199254740993}]}', 'json'), [
    { key: 'a"b', value: '{"n":1}' },
    { key: 'c', value: '[{"m":9007199254740993}]' },
  ]);
});

test('lines are entries as exported, or documents where a key is named', async () => {
  assert.deepEqual(await read('{"key":"a","value":{}}\n', 'ndjson'), [{ key: 'a', value: '{}' }]);
  assert.deepEqual(await read('{"sku":"a"}\n\n{"sku":"b"}', 'ndjson', { key: 'sku' }), [
    { key: 'a', value: '{"sku":"a"}' },
    { key: 'b', value: '{"sku":"b"}' },
  ]);
});

test('cells are numbers with their digits, truth values, texts, or missing when empty', async () => {
  const text =
    '\uFEFFid,name,price,ok,note\r\n1,"Lamp, brass",20.0,true,\r\n007,"say ""hi""\nthere",1e3,"true",x y\r\n';
  assert.deepEqual(await read(text, 'csv'), [
    { key: '1', value: '{"id":1,"name":"Lamp, brass","price":20.0,"ok":true}' },
    {
      key: '007',
      value: '{"id":"007","name":"say \\"hi\\"\\nthere","price":1e3,"ok":"true","note":"x y"}',
    },
  ]);
  assert.deepEqual(await read('a\tid\n1,5\t2\n', 'tsv'), [
    { key: '2', value: '{"a":"1,5","id":2}' },
  ]);
  assert.deepEqual(await read('id,"n"\n', 'csv'), []);
  assert.deepEqual(await read('id\n\uFEFFa\n', 'csv'), [
    { key: '\uFEFFa', value: '{"id":"\uFEFFa"}' },
  ]);
});

test('rows are the same however the input is split into pieces', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', 'é', ' ', '1') });
  await fc.assert(
    fc.asyncProperty(
      fc.array(cell, { maxLength: 5 }),
      fc.integer({ min: 1, max: 9 }),
      async (cells, pieceBytes) => {
        const rows = cells.map((text, i) => `${i},"${text.replaceAll('"', '""')}"\n`);
        const entries = await read(`id,text\n${rows.join('')}`, 'csv', { pieceBytes });
        assert.deepEqual(
          entries.map(({ value }) => JSON.parse(value)),
          cells.map((text, id) => ({ id, text })),
        );
      },
    ),
  );
});

test('input without an entry is reported with its position', async () => {
  const cases: readonly (readonly [string | Uint8Array, InputFormat, string, RegExp])[] = [
    ['[{"id":1},{"n":2}]', 'json', 'element 2', /no member id; --key says/],
    ['[{"id":1},{"id":null}]', 'json', 'element 2', /neither a text nor a number/],
    ['[{"id":1},7]', 'json', 'element 2', /not an object/],
    ['[{"id":1},{"id":1,"id":2}]', 'json', 'element 2', /at byte/],
    ['[{"id":1},{"id":2}', 'json', 'element 2', /ends too early/],
    ['', 'json', 'element 1', /not a JSON array or object/],
    ['[{"id":1},,{"id":2}]', 'json', 'element 2', /end of the text/],
    ['[{"id":1},]', 'json', 'element 2', /end of the text/],
    ['[{"id":1}] x', 'json', 'element 2', /not a JSON array or object/],
    ['[{"id":1}][{"id":2}]', 'json', 'element 3', /not a JSON array or object/],
    ['[{"id":1}}', 'json', 'element 2', /not a JSON array or object/],
    ['x[{"id":1}]', 'json', 'element 2', /not a JSON array or object/],
    ['id,b\n1,2\n3\n', 'csv', 'row 3', /it has 1 cell, but the header has 2/],
    ['a,a\n', 'csv', 'row 1', /two columns are called a/],
    ['a,\n', 'csv', 'row 1', /a column has no name/],
    ['id\n"1\n', 'csv', 'row 2', /a quote is not closed/],
    ['id\n"1"2\n', 'csv', 'row 2', /after a closing quote/],
    [Buffer.from([0x69, 0x64, 0x0a, 0xff, 0x0a]), 'csv', 'row 1', /not valid UTF-8/],
    ['{"n":1}\n', 'ndjson', 'line 1', /exactly the members/],
  ];
  for (const [text, format, position, reason] of cases) {
    await assert.rejects(read(text, format), (error) => {
      assert.ok(error instanceof BadEntryError, String(error));
      assert.equal(`${error.position.unit} ${error.position.number}`, position);
      assert.match(error.message, reason);
      return true;
    });
  }
});
