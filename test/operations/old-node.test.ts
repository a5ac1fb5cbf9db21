// The command on a Node that is too old prints one line.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { MAIN } from '../program.ts';
import { CommandSandbox } from './command.ts';

const sandbox = CommandSandbox.open();
const REFUSAL = /^gridkeep: needs Node 24 or later, but \S+ is v[\d.]+\n$/;

test('a process that claims to be an older Node is refused in one line', async () => {
  const pretend =
    'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.19.0" })';
  const { code, err, out } = await sandbox.runProcess(['version'], {
    node: ['--import', pretend],
  });
  assert.deepEqual({ code, out }, { code: 1, out: '' });
  assert.match(err, REFUSAL);
});

test('nothing is loaded before the version is checked', () => {
  assert.doesNotMatch(readFileSync(MAIN, 'utf8'), /^import\s/m);
});

test('an older Node of this machine is refused in one line', (t) => {
  const old = findOldNode();
  if (old === undefined) {
    t.skip('there is no older Node on the path');
    return;
  }
  const { status, stderr } = spawnSync(old, [MAIN, 'version'], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, REFUSAL);
});

function findOldNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders
    .map((folder) => join(folder, 'node'))
    .find((file) => {
      try {
        const version = execFileSync(file, ['--version'], { encoding: 'utf8' });
        return Number.parseInt(version.slice(1), 10) < 24;
      } catch {
        return false;
      }
    });
}
