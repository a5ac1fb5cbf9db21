import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SchemaInference } from './infer-schema.ts';

function infer(documents: readonly string[]) {
  const inference = new SchemaInference();
  for (const document of documents) inference.add(document);
  const { fields, ...rest } = inference.describe();
  return { ...rest, fields: new Map(fields.map((field) => [field.path, field])) };
}

test('fields have exact shares, kinds, min/max and frequent values', () => {
  const { fields, sampled } = infer([
    '{"n":20.0,"s":"b","a":{"x":1}}',
    '{"n":9007199254740993,"s":"a"}',
    '{"n":null,"s":"a"}',
  ]);
  assert.equal(sampled, 3);
  assert.deepEqual(fields.get('n')?.kinds, { number: 2, null: 1 });
  assert.equal(fields.get('n')?.least, '20.0');
  assert.equal(fields.get('n')?.greatest, '9007199254740993');
  assert.deepEqual(fields.get('n')?.distinct, { count: 3, isMore: false });
  assert.deepEqual(fields.get('s')?.frequent, [{ value: '"a"', count: 2 }]);
  assert.equal(fields.get('s')?.least, '"a"');
  assert.equal(fields.get('a')?.present, 1);
  assert.deepEqual(fields.get('a.x')?.kinds, { number: 1 });
});

test('elements of lists are fields too, and documents may be anything', () => {
  const { fields } = infer(['{"items":[{"sku":"x"},{"sku":"y"}]}', '[1]', '7', 'null']);
  assert.equal(fields.get('items[].sku')?.present, 2);
  assert.deepEqual(fields.get('[]')?.kinds, { number: 1 });
});

test('a histogram has ten equal parts', () => {
  const { fields } = infer(Array.from({ length: 100 }, (_, n) => `{"n":${n}}`));
  assert.deepEqual(fields.get('n')?.histogram, [10, 10, 10, 10, 10, 10, 10, 10, 10, 10]);
  assert.equal(infer(['{"n":1}', '{"n":1}']).fields.get('n')?.histogram, undefined);
});

test('wide and deep documents, and many values, are truncated', () => {
  const members = Array.from({ length: 600 }, (_, n) => `"m${n}":${n}`).join();
  const wide = infer([`{${members}}`]);
  assert.equal(wide.fields.size, 500);
  assert.equal(wide.isCut, true);
  const deep = infer([`${'{"a":'.repeat(50)}1${'}'.repeat(50)}`]);
  assert.equal(deep.fields.size, 12);
  const many = infer(Array.from({ length: 1200 }, (_, n) => `{"s":"${n}"}`));
  assert.deepEqual(many.fields.get('s')?.distinct, { count: 1000, isMore: true });
});
