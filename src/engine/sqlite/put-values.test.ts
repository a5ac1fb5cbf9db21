// Tests where an answer with values ends. The engine contract tests the values themselves.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { plainRegion } from '../testing/plain-region.ts';
import { openSqliteEngine } from './sqlite-engine.ts';

const SMALL = 20;
const LARGE = 400_000;

for (const [what, sizeOf] of [
  ['of one size', () => 3_000],
  ['small at first, large later', (i: number) => (i < 40 ? SMALL : 9_000)],
  ['of which a few are large', (i: number) => (i % 10 === 9 ? LARGE : SMALL)],
  ['that are all large', () => LARGE],
] as const) {
  test(`an answer with values ${what} ends with the commit that reaches the bytes`, async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'gridkeep-put-values-'));
    const engine = await openSqliteEngine({ directory });
    t.after(async () => {
      await engine.close();
      await rm(directory, { recursive: true });
    });
    await engine.createRegion(plainRegion('orders'));
    const region = await engine.openRegion('orders');
    for (let i = 0; i < 60; i++) {
      await region?.write([{ kind: 'put', key: `k${i}`, value: 'x'.repeat(sizeOf(i)) }]);
    }
    const maxBytes = 20_000;
    for (let after = 1; after < engine.stats().sequence; ) {
      const page = await engine.readChanges(after, 1_000, { values: 'kept', maxBytes });
      assert.ok(page.kind === 'changes');
      const sizes = page.changes.map(({ value }) => value?.length ?? assert.fail('no value'));
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      assert.ok(bytes - (sizes.at(-1) ?? 0) < maxBytes, `${bytes} bytes after ${after}`);
      assert.ok(bytes >= maxBytes || page.through === page.latest, `${bytes} bytes`);
      after = page.through;
    }
  });
}
