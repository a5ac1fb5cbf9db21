import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Engine } from '../engine/engine.ts';
import { MemoryEngine } from '../engine/memory/memory-engine.ts';
import { ANSWERS_REGION, StoredAnswers } from './stored-answers.ts';

const HOUR = 3_600_000;

interface Kept {
  readonly engine: Engine;
  readonly answers: StoredAnswers;
  readonly keep: (key: string, answer: string) => Promise<string>;
  nowMs: number;
}

function open(): Kept {
  const engine = new MemoryEngine();
  const kept: Kept = {
    engine,
    nowMs: 1_000 * HOUR,
    answers: new StoredAnswers({ engine, keepMs: 24 * HOUR, wallClock: () => kept.nowMs }),
    keep: async (key, answer) => {
      const slot = await kept.answers.find(key);
      if ('answer' in slot) return slot.answer;
      const { kind } = await engine.commit([kept.answers.toWrite(slot, answer)]);
      return kind;
    },
  };
  return kept;
}

it('returns an answer with the sequence of its commit', async () => {
  const kept = open();
  assert.equal(await kept.keep('a', '{"status":200,"body":"x,}"}'), 'committed');
  assert.deepEqual(await kept.answers.find('a'), {
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
  const kept = open();
  await kept.keep('a', '1');
  kept.nowMs += 24 * HOUR - 1;
  assert.equal(await kept.keep('a', '2'), '1');
  kept.nowMs += 1;
  assert.equal(await kept.keep('a', '2'), 'committed');
  assert.equal(await kept.keep('a', '3'), '2');
});

it('removes expired answers in batches, and no others', async () => {
  const kept = open();
  assert.deepEqual(await kept.answers.sweep(), { removed: 0, isRoundComplete: true });
  await kept.keep('first', '1');
  const old = Array.from({ length: 2500 }, (_, i) => `old ${i}`);
  for (const key of old) await kept.keep(key, '1');
  kept.nowMs += 24 * HOUR;
  await kept.keep('fresh', '1');
  await kept.keep('zz', '1');
  const rounds = [];
  for (let isRoundComplete = false; !isRoundComplete; ) {
    const swept = await kept.answers.sweep();
    rounds.push(swept.removed);
    ({ isRoundComplete } = swept);
  }
  assert.deepEqual(rounds, [999, 1000, 502]);
  const region = await kept.engine.openRegion(ANSWERS_REGION);
  assert.equal(await region?.count(), 2);
  assert.deepEqual(await kept.answers.sweep(), { removed: 0, isRoundComplete: true });
});
