// Golden scripts: text files with inputs and expected outputs, one feature per file.
//
//     # A comment, or blank lines, between cases.
//     > SELECT *
//     > FROM /orders
//     the output, up to the next blank line
//
// UPDATE_GOLDEN=1 writes the current outputs into the files; review the difference.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

type RunCase = (input: string) => string;

/** Declares a test for each script in a folder beside this one's parent, by file name prefix. */
export function testGoldenScripts(folder: string, runs: Readonly<Record<string, RunCase>>): void {
  const root = fileURLToPath(new URL(`../testdata/${folder}/`, import.meta.url));
  const files = readdirSync(root).filter((file) => file.endsWith('.txt'));
  test(`there are golden scripts in ${folder}`, () => assert.ok(files.length > 0));
  for (const file of files) {
    const prefix = Object.keys(runs).find((each) => file.startsWith(each));
    const run = prefix === undefined ? undefined : runs[prefix];
    test(`golden script ${folder}/${file}`, () => {
      assert.ok(run, 'no function runs a file of this name');
      checkScript(`${root}${file}`, run);
    });
  }
}

function checkScript(path: string, run: RunCase): void {
  const expected = readFileSync(path, 'utf8');
  const actual = rewriteScript(expected, run);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(path, actual);
  else assert.equal(actual, expected);
}

/** The script with the output of each case replaced by the current one. */
function rewriteScript(script: string, run: RunCase): string {
  const blocks = script.trimEnd().split(/\n{2,}/u);
  const isCase = (block: string) => block.split('\n').some((line) => line.startsWith('>'));
  assert.ok(blocks.some(isCase), 'a script without cases');
  const rewritten = blocks.map((block) => (isCase(block) ? rewriteCase(block, run) : block));
  return `${rewritten.join('\n\n')}\n`;
}

function rewriteCase(block: string, run: RunCase): string {
  const lines = block.split('\n');
  const kept = lines.filter((line) => line.startsWith('>') || line.startsWith('#'));
  const input = lines
    .filter((line) => line.startsWith('>'))
    .map((line) => line.slice(2))
    .join('\n');
  return [...kept, run(input)].join('\n').trimEnd();
}
