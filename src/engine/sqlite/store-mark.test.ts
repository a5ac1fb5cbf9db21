import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { type Mark, readMark, StoreMark } from './store-mark.ts';

const root = mkdtempSync(join(tmpdir(), 'gridkeep-mark-'));

after(() => rmSync(root, { recursive: true, force: true }));

function markOf(sequence: number): Mark {
  return { sequence, synced: sequence, durability: 'always' };
}

it('reads back the last mark', () => {
  const file = join(root, 'last');
  assert.equal(readMark(file), undefined);
  const mark = new StoreMark(file);
  mark.begin(markOf(7));
  assert.deepEqual(readMark(file), markOf(7));
  const relaxed: Mark = { sequence: 2 ** 40 + 3, synced: 9, durability: 'relaxed' };
  mark.write(relaxed);
  assert.deepEqual(readMark(file), relaxed);
  const checkpointed = {
    ...markOf(2 ** 40 + 4),
    checkpointed: { frames: 12, salts: 2n ** 63n + 5n },
  };
  mark.write(checkpointed);
  assert.deepEqual(readMark(file), checkpointed);
  mark.close();
});

it('falls back to the previous mark after a torn write, and to none when both are torn', () => {
  const file = join(root, 'torn');
  const mark = new StoreMark(file);
  mark.begin(markOf(1));
  mark.write(markOf(2));
  mark.write(markOf(3));
  mark.close();
  const bytes = readFileSync(file);
  // `begin` writes 1 to both slots. Then 2 goes to the first slot and 3 to the second.
  for (const at of [4096 + 9, 4096 + 41]) {
    const torn = Buffer.from(bytes);
    torn[at] = (torn[at] ?? 0) ^ 1;
    writeFileSync(file, torn);
    assert.equal(readMark(file)?.sequence, 2);
    torn[3] = 0;
    writeFileSync(file, torn);
    assert.equal(readMark(file), undefined);
  }
  writeFileSync(file, bytes.subarray(0, 100));
  assert.equal(readMark(file)?.sequence, 2, 'a file that was cut');
});
