import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Engine } from '../engine/engine.ts';
import { MemoryEngine } from '../engine/memory/memory-engine.ts';
import { ANSWERS_REGION, StoredAnswers } from './stored-answers.ts';

const HOUR = 3_600_000;

interface TestStore {
  readonly engine: Engine;
  readonly answers: StoredAnswers;
  /** The stored answer; if there is none, stores this one and returns the kind of the outcome. */
  readonly findOrStore: (key: string, answer: string) => Promise<string>;
  nowMs: number;
}

function open(): TestStore {
  const engine = new MemoryEngine();
  const store: TestStore = {
    engine,
    nowMs: 1_000 * HOUR,
    answers: new StoredAnswers({ engine, keepMs: 24 * HOUR, wallClock: () => store.nowMs }),
    findOrStore: async (key, answer) => {
      const slot = await store.answers.find(key);
      if ('answer' in slot) return slot.answer;
      const { kind } = await engine.commit([store.answers.toWrite(slot, answer)]);
      return kind;
    },
  };
  return store;
}

it('returns an answer with the sequence of its commit', async () => {
  const store = open();
  assert.equal(await store.findOrStore('a', '{"status":200,"body":"x,}"}'), 'committed');
  assert.deepEqual(await store.answers.find('a'), {
    answer: '{"status":200,"body":"x,}"}',
    version: 2,
  });
});

it('lets only one of two requests write that both found no answer', async () => {
  const { answers, engine } = open();
  const slots = [await answers.find('a'), await answers.find('a')];
  const outcomes = await Promise.all(
    slots.map(async (slot) => {
      assert.ok('key' in slot);
      return (await engine.commit([answers.toWrite(slot, '{}')])).kind;
    }),
  );
  assert.deepEqual(outcomes, ['committed', 'refused']);
});

it('does not return an expired answer, removed or not', async () => {
  const store = open();
  await store.findOrStore('a', '1');
  store.nowMs += 24 * HOUR - 1;
  assert.equal(await store.findOrStore('a', '2'), '1');
  store.nowMs += 1;
  assert.equal(await store.findOrStore('a', '2'), 'committed');
  assert.equal(await store.findOrStore('a', '3'), '2');
});

it('removes expired answers in batches, and no others', async () => {
  const store = open();
  assert.deepEqual(await store.answers.sweep(), { removed: 0, isRoundComplete: true });
  await store.findOrStore('first', '1');
  const old = Array.from({ length: 2500 }, (_, i) => `old ${i}`);
  for (const key of old) await store.findOrStore(key, '1');
  store.nowMs += 24 * HOUR;
  await store.findOrStore('fresh', '1');
  await store.findOrStore('zz', '1');
  const rounds = [];
  for (let isRoundComplete = false; !isRoundComplete; ) {
    const swept = await store.answers.sweep();
    rounds.push(swept.removed);
    ({ isRoundComplete } = swept);
  }
  assert.deepEqual(rounds, [999, 1000, 502]);
  const region = await store.engine.openRegion(ANSWERS_REGION);
  assert.equal(await region?.count(), 2);
  assert.deepEqual(await store.answers.sweep(), { removed: 0, isRoundComplete: true });
});
