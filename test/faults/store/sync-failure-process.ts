// Writes one entry after another and prints each outcome. A tracer makes syncs fail from some point
// on. Reads must work to the end.
//
//   node sync-failure-process.ts <directory>

import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/errors.ts';
import { openSqliteEngine } from '../../../src/engine/sqlite/sqlite-engine.ts';
import { plainRegion } from '../../../src/engine/testing/plain-region.ts';

const engine = await openSqliteEngine({ directory: process.argv[2] ?? '' });
await engine.createRegion(plainRegion('orders'));
const region = await engine.openRegion('orders');
assert.ok(region);
const outcomes: string[] = [];
let committed = 0;
for (let i = 0; i < 20; i++) {
  try {
    await region.write([{ kind: 'put', key: `k${i}`, value: '{}' }]);
    outcomes.push('committed');
    committed += 1;
  } catch (error) {
    assert.ok(error instanceof EngineError);
    outcomes.push(error.code);
  }
}
assert.equal(await region.count(), committed);
assert.equal((await region.readFirst(50)).keys.length, committed);
await engine.close();
process.stdout.write(JSON.stringify(outcomes));
