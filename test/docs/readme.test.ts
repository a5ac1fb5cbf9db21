// Checks README.md: its tour prints the shown output, and its table of endpoints is the route table.
// UPDATE_GOLDEN=1 rewrites the outputs without `…`; review the diff.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { routes } from '../../src/http/routes.ts';
import {
  assertShown,
  type Example,
  examplesOf,
  findShellObstacle,
  runShell,
  startSample,
} from './examples.ts';

const obstacle = await findShellObstacle();

const README = new URL('../../README.md', import.meta.url);
const HTTP_API = new URL('../../docs/http-api.md', import.meta.url);

checkTour('the tour of README.md', README, sectionOf(README, 'A tour'));
checkTour('the examples of docs/http-api.md', HTTP_API, readFileSync(HTTP_API, 'utf8'));

test('the table of endpoints in README.md is the route table', () => {
  const rows = [...readFileSync(README, 'utf8').matchAll(/^\| `([A-Z]+)` \| `([^`]+)` \|/gm)];
  const shown = rows.map(([, method, path]) => `${method} ${path}`);
  assert.deepEqual(shown.toSorted(), routes.map((route) => `${route.method} ${route.path}`).sort());
});

function checkTour(title: string, file: URL, markdown: string): void {
  const examples = examplesOf(markdown, 'sh');
  describe(title, { skip: obstacle ?? false }, () => {
    let service: Awaited<ReturnType<typeof startSample>>;
    let outputs: readonly string[] = [];
    before(async () => {
      service = await startSample();
      outputs = await runShell(
        examples.map(({ input }) => input),
        service.url,
      );
      if (process.env['UPDATE_GOLDEN'] === '1') writeOutputs(file, examples, outputs);
    });
    after(() => service[Symbol.asyncDispose]());

    test('there is something to run', () => {
      assert.ok(examples.filter(({ output }) => output !== undefined).length > 5);
    });

    for (const [index, { input, output }] of examples.entries()) {
      // A block that only sets variables has no output.
      if (output === undefined) continue;
      const command = input.text.trim().split('\n').at(-1) ?? '';
      test(`prints the shown output: ${command}`, () =>
        assertShown(outputs[index] ?? '', output.text));
    }
  });
}

/** The section from a heading that begins so to the next of its level. */
function sectionOf(file: URL, heading: string): string {
  const text = readFileSync(file, 'utf8');
  const start = text.indexOf(`\n## ${heading}`);
  assert.ok(start >= 0, `there is no section ${heading}`);
  const end = text.indexOf('\n## ', start + 1);
  return text.slice(start, end < 0 ? undefined : end);
}

function writeOutputs(file: URL, examples: readonly Example[], outputs: readonly string[]): void {
  let text = readFileSync(file, 'utf8');
  for (const [index, { input, output }] of examples.entries()) {
    if (output === undefined || output.text.includes('…')) continue;
    const shown = `${input.text}\`\`\`\n\n\`\`\`${output.language}\n`;
    const actual = `${shown}${(outputs[index] ?? '').trim()}\n\`\`\``;
    // A function, because `$` in a replacement text has a special meaning.
    text = text.replace(`${shown}${output.text}\`\`\``, () => actual);
  }
  writeFileSync(file, text);
}
