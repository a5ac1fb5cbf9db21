// I4: whatever the columns answer is what the reference evaluator answers, also while writes go on.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { createCatalog } from '../../src/oql/execute/testing/memory-source.ts';
import { indexRegion, openStore, runBoth } from './both-engines.ts';
import { Choices, generateDocument, generateQuery } from './generate-query.ts';

/** As many as promised where it counts; fewer while working. */
const DEFAULT_ROUNDS = process.env['CI'] === undefined ? 3000 : 20_000;
const ROUNDS = Number(process.env['GRIDKEEP_QUERIES'] ?? DEFAULT_ROUNDS);
const SEED = Number(process.env['GRIDKEEP_SEED'] ?? 1);
const QUERIES_PER_STORE = 30;

const INDEXES = [
  ...['n', 'm', 's', 't', 'o.x', 'd'].map((member) => ({
    name: `by-${member}`,
    kind: 'range' as const,
    expression: `o.${member}`,
    from: '/r o',
  })),
  { name: 'hash-s', kind: 'hash' as const, expression: 'o.s', from: '/r o' },
  { name: 'hash-n', kind: 'key' as const, expression: 'o.n', from: '/r o' },
  { name: 'by-sku', kind: 'range' as const, expression: 'i.sku', from: '/r o, o.items i' },
  { name: 'by-q', kind: 'range' as const, expression: 'i.q', from: '/r o, o.items i' },
];

describe('columns against the reference evaluator', () => {
  it(`give the same rows and failures for ${ROUNDS} generated queries`, async () => {
    let settled = 0;
    for (let round = 0; round < ROUNDS; round += QUERIES_PER_STORE) {
      settled += await checkStore(SEED * 1_000_003 + round);
    }
    // A check that compares nothing proves nothing.
    assert.ok(settled > ROUNDS / 3, `only ${settled} of ${ROUNDS} ran over columns`);
  });

  it('fails for a row that OFFSET passes over, where projecting it fails', async () => {
    const engine = new MemoryEngine();
    const catalog = createCatalog({ r: { entries: [] } });
    await engine.createRegion({
      name: 'r',
      type: 'REPLICATE',
      keyConstraint: null,
      valueConstraint: null,
    });
    const store = openStore(engine);
    const region = await engine.openRegion('r');
    await region?.write([
      { kind: 'put', key: 'a', value: '{"s":"text"}' },
      { kind: 'put', key: 'b', value: '{"s":1}' },
    ]);
    const text = 'SELECT CASE WHEN o.s <= 2.0 THEN 1 ELSE 0 END FROM /r o LIMIT 1 OFFSET 1';
    const pause = async (): Promise<void> => undefined;
    const indexes = indexRegion('r', catalog, []);
    const outcome = await runBoth({ engine, store, catalog, text, pause, indexes });
    assert.equal(outcome.reference.failure, 'type-mismatch');
    assert.ok(outcome.asked !== undefined || outcome.vector?.failure === 'type-mismatch');
    await engine.close();
  });
});

async function checkStore(seed: number): Promise<number> {
  const choices = new Choices(seed);
  const engine = new MemoryEngine();
  const catalog = createCatalog({ r: { entries: [] }, q: { entries: [] } });
  const regions = ['r', 'q'] as const;
  const base = { type: 'REPLICATE', keyConstraint: null, valueConstraint: null } as const;
  for (const name of regions) await engine.createRegion({ ...base, name });
  const store = openStore(engine);
  const indexes = indexRegion('r', catalog, choices.chance(70) ? INDEXES : []);
  const write = async (): Promise<void> => {
    const region = await engine.openRegion(choices.of(...regions));
    const key = `k${choices.below(40)}`;
    await region?.write([
      choices.chance(20)
        ? { kind: 'remove', key }
        : { kind: 'put', key, value: generateDocument(choices) },
    ]);
  };
  for (let count = choices.of(0, 5, 60); count > 0; count -= 1) await write();
  let settled = 0;
  for (let index = 0; index < QUERIES_PER_STORE; index += 1) {
    // A hint makes an index be used even where a scan is cheaper.
    const hints = choices.some(2, () => `'${choices.of(...INDEXES).name}'`).join(', ');
    const text = `${choices.chance(50) ? `<HINT ${hints}> ` : ''}${generateQuery(choices)}`;
    const pause = async (): Promise<void> => {
      if (choices.chance(10)) await write();
    };
    const label = `seed ${seed}, query ${index}: ${text}`;
    const { reference, vector, asked } = await runBoth({
      engine,
      store,
      catalog,
      text,
      pause,
      indexes,
    }).catch((error: unknown) => {
      throw new Error(label, { cause: error });
    });
    if (vector === undefined) continue;
    if (asked === undefined) {
      assert.deepEqual(vector, reference, label);
      settled += 1;
    } else if (vector.rows !== '') {
      assert.ok(reference.rows.startsWith(vector.rows), label);
    }
    if (choices.chance(30)) await write();
  }
  await engine.close();
  return settled;
}
