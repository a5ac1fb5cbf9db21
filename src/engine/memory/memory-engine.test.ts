import assert from 'node:assert/strict';
import { it } from 'node:test';
import { engineContract } from '../testing/engine-contract.ts';
import { MemoryEngine } from './memory-engine.ts';

engineContract('the memory engine', {
  async open(context) {
    const engine = new MemoryEngine();
    context.after(() => engine.close());
    return engine;
  },
});

it('forgets the oldest changes beyond its limit', async () => {
  const engine = new MemoryEngine({ maxChanges: 4 });
  for (let i = 0; i < 20; i++) {
    const definition = { type: 'EMPTY', keyConstraint: null, valueConstraint: null } as const;
    await engine.createRegion({ name: `r${i}`, ...definition });
  }
  const changes = await engine.readChanges(0, 100);
  assert.ok(changes.length >= 4 && changes.length <= 8);
  assert.equal(changes.at(-1)?.region, 'r19');
});
