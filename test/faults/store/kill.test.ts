// A process that is killed at any moment loses no acknowledged write and tears none. The control,
// which acknowledges too early, must be detected.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  openSqliteEngine,
  type SqliteEngineOptions,
} from '../../../src/engine/sqlite/sqlite-engine.ts';
import { createRandom } from '../../../src/sample/random.ts';
import { pickSeed } from '../../../src/value/testing/share-of-runs.ts';
import { pickSize } from '../sizes.ts';
import { type Damage, findDamage, GROUPS, parseAcknowledged } from './generations.ts';

const CYCLES = pickSize({ quick: 1, short: 20 });
const LOAD_PROCESS = fileURLToPath(new URL('./load-process.ts', import.meta.url));

type Testing = NonNullable<SqliteEngineOptions['testing']>;

function temporaryDirectory(context: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'gridkeep-crash-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Runs the load until the test kills it after some acknowledgements, or a failpoint does. */
async function runUntilKilled(
  directory: string,
  testing: Testing,
  acknowledgements: number,
): Promise<number[]> {
  const child = spawn(process.execPath, [LOAD_PROCESS, directory, JSON.stringify(testing)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let output = '';
  let lines = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    lines += text.split('\n').length - 1;
    if (lines >= acknowledgements) child.kill('SIGKILL');
  });
  const [, signal] = await ended;
  assert.equal(signal, 'SIGKILL', 'the load runs until it is killed');
  return parseAcknowledged(output);
}

async function crashAndCompare(
  directory: string,
  testing: Testing,
  acknowledgements: number,
): Promise<Damage> {
  const acknowledged = await runUntilKilled(directory, testing, acknowledgements);
  const engine = await openSqliteEngine({ directory });
  try {
    return await findDamage(engine, acknowledged);
  } finally {
    await engine.close();
  }
}

it(`survives being killed ${CYCLES} times under write load`, async (t) => {
  const directory = temporaryDirectory(t);
  const random = createRandom(pickSeed());
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const acknowledgements = random.between(1, 60 * GROUPS);
    const damage = await crashAndCompare(directory, {}, acknowledgements);
    assert.deepEqual(damage, { lost: [], torn: [] }, `after ${acknowledgements} acknowledgements`);
  }
});

for (const at of ['mid-write', 'before-commit', 'after-commit'] as const) {
  it(`survives a crash ${at}`, async (t) => {
    const directory = temporaryDirectory(t);
    for (const pass of pickSize({ quick: [20], short: [3, 20] })) {
      const damage = await crashAndCompare(directory, { crash: { at, pass } }, 1_000_000);
      assert.deepEqual(damage, { lost: [], torn: [] }, `pass ${pass}`);
    }
  });
}

it('detects an engine that acknowledges before the commit', async (t) => {
  const directory = temporaryDirectory(t);
  let lost = 0;
  for (let cycle = 0; cycle < 5 && lost === 0; cycle++) {
    const damage = await crashAndCompare(directory, { answersBeforeCommit: true }, 5 * GROUPS);
    lost += damage.lost.length;
  }
  assert.ok(lost > 0, 'the control loses acknowledged writes');
});
