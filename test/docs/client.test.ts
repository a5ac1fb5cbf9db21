// Runs the blocks of docs/client.md in order as one program against the sample grid: they print the
// output shown below them.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { assertShown, examplesOf, startSample } from './examples.ts';

const CLIENT = new URL('../../src/client/index.ts', import.meta.url).href;
const SHOWN_URL = 'http://127.0.0.1:7070';

test('the examples print the output shown below them', async () => {
  const text = readFileSync(new URL('../../docs/client.md', import.meta.url), 'utf8');
  const examples = examplesOf(text, 'ts');
  assert.ok(examples.length >= 6);
  const program = examples
    .map(({ input }) => `${input.text}console.log('--- ${input.line}');\n`)
    .join('')
    .replaceAll("'gridkeep/client'", `'${CLIENT}'`);
  const directory = await mkdtemp(join(tmpdir(), 'gridkeep-client-docs-'));
  await using service = await startSample();
  try {
    const file = join(directory, 'examples.mts');
    await writeFile(file, program.replaceAll(SHOWN_URL, service.url));
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
    const printed = stdout.split(/^--- \d+\n/m);
    for (const [index, { output }] of examples.entries()) {
      if (output !== undefined) assertShown(printed[index] ?? '', output.text);
    }
  } finally {
    await rm(directory, { recursive: true });
  }
});
