import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { filesOf, isCounted, isShared, processesOf } from './groups.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

function listTests(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile() && /\.(test|cases|long)\.tsx?$/.test(item.name))
    .map((item) => relative(ROOT, join(item.parentPath, item.name)));
}

const all = ['src', 'console', 'test', 'bench', 'scripts'].flatMap(listTests).sort();

test('every test file belongs to exactly one group', () => {
  assert.ok(all.length > 250, `only ${all.length} files`);
  const grouped = [
    ...filesOf('units', ROOT),
    ...filesOf('service', ROOT),
    ...filesOf('long', ROOT),
  ];
  assert.deepEqual(grouped.sort(), all);
});

test('exactly one process runs every file of a group', () => {
  assert.deepEqual(processesOf(all).flat().sort(), all);
});

test('coverage is counted in all files of a process, or in none', () => {
  const uncounted = all.filter((file) => !isCounted(file));
  assert.ok(uncounted.length > 0 && uncounted.length < 10, uncounted.join(' '));
  for (const files of processesOf(all)) {
    assert.equal(new Set(files.map(isCounted)).size, 1, files.join(' '));
  }
});

test('files that share a process set nothing up for each other', () => {
  const shared = all.filter(isShared);
  assert.ok(shared.length > 100, `only ${shared.length} files`);
  const wrong = shared.filter((file) =>
    /^(before|after)Each\(/m.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  assert.deepEqual(wrong, []);
});
