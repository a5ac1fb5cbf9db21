import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readElements } from './json-elements.ts';

async function split(bytes: Uint8Array, cuts: readonly number[]): Promise<readonly string[]> {
  async function* body(): AsyncGenerator<Uint8Array> {
    let start = 0;
    for (const cut of [...cuts].sort((a, b) => a - b)) {
      yield bytes.subarray(start, cut);
      start = Math.max(start, cut);
    }
    yield bytes.subarray(start);
  }
  const all: string[] = [];
  for await (const texts of readElements(body(), 2, () => new Error('cut short')))
    all.push(...texts);
  return all;
}

test('elements are the same however the answer is split into pieces', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue({ depthSize: 'small' })),
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.nat(400), { maxLength: 6 }),
      async (values, name, cuts) => {
        const texts = values.map((value) => JSON.stringify(value));
        const bytes = new TextEncoder().encode(`{${JSON.stringify(name)}:[${texts.join(',')}]}`);
        assert.deepEqual(
          await split(
            bytes,
            cuts.map((cut) => Math.min(cut, bytes.length)),
          ),
          texts,
        );
      },
    ),
  );
});

test('a truncated answer, and one that is not UTF-8, is an error', async () => {
  for (const text of ['', '{"r":[1,2', '{"r":[1,2]', '{"r":["x']) {
    await assert.rejects(split(new TextEncoder().encode(text), []), /cut short/, text);
  }
  await assert.rejects(split(Uint8Array.of(0x7b, 0xff), []), /cut short/);
});
