import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FileForm, findForm, readRows } from './read-file.ts';
import { type KeyChoice, suggestKey, toItem } from './to-item.ts';

const BY_ID: KeyChoice = { kind: 'field', name: 'id' };
const BY_MEMBER: KeyChoice = { kind: 'member' };

async function read(text: string | Blob, form: FileForm, findsTypes = true): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const list of readRows(new Blob([text]), { form, findsTypes })) {
    for (const row of list) rows.push([row.rowNumber, row.text ?? row.problem]);
  }
  return rows;
}

describe('rows of a file', () => {
  it('are lines of NDJSON', async () => {
    assert.deepEqual(await read('\ufeff{"a":1.50}\r\n\n{"a":2}', 'ndjson'), [
      [1, '{"a":1.50}'],
      [3, '{"a":2}'],
    ]);
  });

  it('are elements of an array, with line breaks inside', async () => {
    const text = ' [\n {"a": 9007199254740993,\n "b": "]"},\n 7 ]\n';
    assert.deepEqual(await read(text, 'array'), [
      [1, '{"a": 9007199254740993,\n "b": "]"}'],
      [2, '7'],
    ]);
    await assert.rejects(read('[{"a":1},', 'array'), /no end/);
    await assert.rejects(read('{"a":1}', 'array'), /does not begin with/);
  });

  it('are records of CSV, with the types that their cells show', async () => {
    const text = 'id;name;price;tags\n007;"1";1.50;"[1,""x""]"\n8;;true;[x\n9;a;b\n';
    assert.deepEqual(await read(text, 'csv'), [
      [1, '{"id":"007","name":"1","price":1.50,"tags":[1,"x"]}'],
      [2, '{"id":8,"price":true,"tags":"[x"}'],
      [3, 'The row has 3 cells, the header has 4.'],
    ]);
    assert.deepEqual(await read('id,n\n8,', 'csv', false), [[1, '{"id":"8","n":""}']]);
    await assert.rejects(read('a,a\n1,2', 'csv'), /called a/);
  });

  it('must be UTF-8', async () => {
    const latin = new Blob([new Uint8Array([0x7b, 0xe9, 0x7d])]);
    await assert.rejects(read(latin, 'ndjson'), /not UTF-8/);
  });

  it('are found by the name of the file, or by its first character', async () => {
    assert.equal(await findForm(new File(['[1]'], 'a.csv')), 'csv');
    assert.equal(await findForm(new File(['[1]'], 'a.jsonl')), 'ndjson');
    assert.equal(await findForm(new File([' [1]'], 'a.json')), 'array');
    assert.equal(await findForm(new File(['{"a":1}'], 'a.json')), 'ndjson');
    assert.equal(await findForm(new File(['a,b'], 'a')), 'csv');
  });
});

describe('the item of a row', () => {
  it('has the digits of the file in key and value', () => {
    const text = '{"id":9007199254740993,"n":1.0}';
    assert.deepEqual(toItem({ rowNumber: 1, text }, BY_ID), {
      key: '9007199254740993',
      value: text,
    });
    const exported = '{ "value" : {"n":1.0}, "key":"a" }';
    assert.deepEqual(toItem({ rowNumber: 1, text: exported }, BY_MEMBER), {
      key: 'a',
      value: '{"n":1.0}',
    });
    assert.deepEqual(toItem({ rowNumber: 12, text: '7' }, { kind: 'generated', prefix: 'x' }), {
      key: 'x-000000012',
      value: '7',
    });
  });

  it('expires when an exported entry does', () => {
    const read = (expires: string) =>
      toItem({ rowNumber: 1, text: `{"key":"a","value":1,"expires":${expires}}` }, BY_MEMBER);
    const found = { key: 'a', value: '1', expires: Date.UTC(2026, 2, 1, 12) };
    assert.deepEqual(read('"2026-03-01T12:00:00.000Z"'), found);
    assert.deepEqual(read('"2026-03-01T13:00:00+01:00"'), found);
    for (const bad of ['"tomorrow"', '"2026"', '"2026-13-01T12:00:00Z"', '1772366400000', 'null']) {
      assert.match(read(bad).problem ?? '', /expires is not a time/, bad);
    }
  });

  it('cannot be more than one value', () => {
    const { problem } = toItem({ rowNumber: 1, text: '{"id":1},"op":"remove"' }, BY_ID);
    assert.match(problem ?? '', /not JSON/);
  });

  it('says why there is no key', () => {
    const problemOf = (text: string): string | undefined =>
      toItem({ rowNumber: 1, text }, BY_ID).problem;
    assert.match(problemOf('{"a":1}') ?? '', /no member id/);
    assert.match(problemOf('{"id":""}') ?? '', /empty/);
    assert.match(problemOf('{"id":[]}') ?? '', /neither/);
    assert.match(problemOf('[1]') ?? '', /not an object/);
  });

  it('is suggested a key that differs in all rows', () => {
    const suggest = (...texts: string[]): unknown =>
      suggestKey(texts.map((text, i) => ({ rowNumber: i + 1, text }))).choice;
    assert.deepEqual(suggest('{"n":1,"id":1}', '{"n":1,"id":2}'), { field: 'id' });
    assert.deepEqual(suggest('{"id":1}', 'broken', '{"id":2,"n":1}'), { field: 'id' });
    assert.deepEqual(suggest('{"id":1,"n":1}', '{"id":1,"n":2}'), { field: 'n' });
    assert.equal(suggest('{"key":"a","value":1}'), 'member');
    const expiring = '{"key":"b","value":1,"expires":"2026-03-01T12:00:00Z"}';
    assert.equal(suggest('{"key":"a","value":1}', expiring), 'member');
    assert.equal(suggest('1', '2'), 'generated');
  });
});
