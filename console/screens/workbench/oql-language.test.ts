import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { completeOql } from './oql-language.ts';

const names = {
  regions: () => ['orders', 'my.region'],
  fields: async (region: string) => (region === 'my.region' ? ['ship-to.city', 'type', '@id'] : []),
};

/** Inserted texts at the end of a text, those of a label. */
async function offer(text: string, ...labels: readonly string[]): Promise<readonly unknown[]> {
  const state = EditorState.create({ doc: text });
  const result = await completeOql(new CompletionContext(state, text.length, false), names);
  const options = new Map(result?.options.map(({ apply, label }) => [label, apply]));
  return labels.map((label) => options.get(label));
}

test('completions insert names that a query can use', async () => {
  assert.deepEqual(await offer('SELECT * FROM /', '/orders', '/my.region'), [
    '/orders',
    "/'my.region'",
  ]);
  const fields = await offer("FROM /'my.region' r WHERE r.", 'ship-to', 'type', '@id', 'city');
  assert.deepEqual(fields, ['"ship-to"', 'type', '"@id"', undefined]);
});
