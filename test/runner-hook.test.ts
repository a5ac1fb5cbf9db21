// Without the async hook of the test runner, tests keep their places, and an error that nothing catches
// still fails the process, though the runner cannot name its test.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';

function runTests(body: string): { readonly status: number | null; readonly said: string } {
  const code = `
    import { disableRunnerHook } from '${new URL('runner-hook.mjs', import.meta.url)}';
    import { describe, it } from 'node:test';
    describe('outer', () => { it('inner', async () => { ${body} }); });
    disableRunnerHook();`;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ['--test-reporter=tap', '--input-type=module', '--eval', code],
    { encoding: 'utf8', env },
  );
  return { status, said: stdout + stderr };
}

it('passes a nested test', () => {
  const { said, status } = runTests('await null;');
  assert.match(said, /^ {4}ok 1 - inner$/m);
  assert.equal(status, 0);
});

for (const [kind, later] of [
  ['an exception', "setTimeout(() => { throw new Error('lost'); });"],
  ['a rejection', "setTimeout(() => { void Promise.reject(new Error('lost')); });"],
] as const) {
  it(`fails for ${kind} that nothing catches, though its test waits in vain`, () => {
    const { said, status } = runTests(
      `${later} await new Promise((resolve) => setTimeout(resolve, 600_000));`,
    );
    assert.match(said, /Nothing caught this error: Error: lost/);
    assert.equal(status, 1);
  });
}
