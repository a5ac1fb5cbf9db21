import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readRows } from './ndjson-rows.ts';

const ENDINGS = {
  cutShort: () => new Error('cut short'),
  failed: (error: string) => new Error(error),
};

async function read(text: string, cuts: readonly number[] = []): Promise<readonly string[]> {
  const bytes = new TextEncoder().encode(text);
  async function* body(): AsyncGenerator<Uint8Array> {
    const ends = [...cuts.toSorted((a, b) => a - b), bytes.length];
    for (const [i, end] of ends.entries()) yield bytes.subarray(ends[i - 1] ?? 0, end);
  }
  const all: string[] = [];
  for await (const rows of readRows(body(), ENDINGS)) all.push(...rows);
  return all;
}

test('rows are the same however the answer is split into pieces', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue({ depthSize: 'small' })),
      fc.array(fc.nat(400), { maxLength: 6 }),
      async (values, cuts) => {
        const rows = values.map((value) => JSON.stringify(value));
        const text = [...rows, '{"@end":{"count":1}}', ''].join('\n');
        assert.deepEqual(await read(text, cuts), rows);
      },
    ),
  );
});

test('an answer without its last line, or with an error, fails', async () => {
  for (const text of ['', '1\n', '1\n{"@end":{}}', '{"@end":{}}\n2']) {
    await assert.rejects(read(text), /cut short/, text);
  }
  await assert.rejects(read('1\n{"@error":{"code":"x"}}\n'), /\{"code":"x"\}/);
});
