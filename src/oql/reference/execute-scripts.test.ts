// Runs the golden scripts of ../testdata/execute. UPDATE_GOLDEN=1 rewrites them; review the difference.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { replayScript } from './testing/golden-script.ts';

const folder = new URL('../testdata/execute/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.txt'));

describe('the reference evaluator returns the results of the script', () => {
  it('and there are scripts to run', () => {
    assert.ok(names.length > 10);
  });

  for (const name of names) {
    it(name, async () => {
      const file = new URL(name, folder);
      const script = readFileSync(file, 'utf8');
      const replayed = await replayScript(script);
      if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, replayed);
      else assert.equal(replayed, script);
    });
  }
});
