// A process that writes without pause and prints what was acknowledged, until it is killed. Each write
// covers a whole group of eight keys with one generation number, every second group over two regions,
// so that a torn write would be visible.
//
//   node load-process.ts <directory> <testing options as JSON>

import { openSqliteEngine } from '../../../src/engine/sqlite/sqlite-engine.ts';
import { plainRegion } from '../../../src/engine/testing/plain-region.ts';
import { GROUPS, groupWrites, OTHER_REGION, REGION } from './generations.ts';

const [, , directory = '', testing = '{}'] = process.argv;
// The parent is the crash test, which prints these options.
const engine = await openSqliteEngine({ directory, testing: JSON.parse(testing) });
await engine.createRegion(plainRegion(REGION));
await engine.createRegion(plainRegion(OTHER_REGION));
const region = await engine.openRegion(REGION);
if (region === undefined) throw new Error('the region was just created');

async function writeGroup(group: number): Promise<void> {
  const [first] = (await region?.read([`g${group}-0`])) ?? [];
  const start = first === undefined ? 0 : Number(JSON.parse(first.value).generation);
  for (let generation = start + 1; ; generation++) {
    const writes = groupWrites(group, generation);
    const [only] = writes;
    await (writes.length === 1 ? region?.write(only?.changes ?? []) : engine.commit(writes));
    process.stdout.write(`${group} ${generation}\n`);
  }
}

await Promise.all(Array.from({ length: GROUPS }, (_, group) => writeGroup(group)));
