// I4: whatever the columns answer is what the reference evaluator answers, also while writes go on.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { createCatalog } from '../../src/oql/execute/testing/memory-source.ts';
import { indexRegion, indexRegions, openStore, runBoth } from './both-engines.ts';
import { Choices, generateDocument, generateQuery } from './generate-query.ts';

/** As many as promised where it counts; fewer while working. */
const DEFAULT_ROUNDS = process.env['CI'] === undefined ? 3000 : 20_000;
const ROUNDS = Number(process.env['GRIDKEEP_QUERIES'] ?? DEFAULT_ROUNDS);
const SEED = Number(process.env['GRIDKEEP_SEED'] ?? 1);
const QUERIES_PER_STORE = 30;

function indexesOf(region: string) {
  const on = (name: string, kind: 'range' | 'hash' | 'key', member: string) => ({
    name: `${region}-${name}`,
    kind,
    expression: `o.${member}`,
    from: `/${region} o`,
  });
  const items = (name: string, member: string) => ({
    name: `${region}-${name}`,
    kind: 'range' as const,
    expression: `i.${member}`,
    from: `/${region} o, o.items i`,
  });
  return [
    ...['n', 'm', 's', 't', 'o.x', 'd', 'b'].map((member) => on(`by-${member}`, 'range', member)),
    on('hash-s', 'hash', 's'),
    on('hash-n', 'hash', 'n'),
    on('key-k', 'key', 'k'),
    on('map-o', 'range', choose(region, "o['x','y']", 'o[*]')),
    items('by-sku', 'sku'),
    items('by-q', 'q'),
  ];
}

/** Some members of the map in one region, all of them in the other. */
function choose(region: string, some: string, all: string): string {
  return region === 'r' ? some : all;
}

const INDEXES = { r: indexesOf('r'), q: indexesOf('q') };

/** Each of these must have been put to the test. */
const RULES = [
  'fold-constants',
  'order-joins',
  'push-down-filters',
  'use-index',
  'unite-or',
  'order-from-index',
  'count-from-index',
  'ends-from-index',
  'distinct-from-index',
  'build-from-index',
  'join-through-index',
];

describe('columns against the reference evaluator', () => {
  it(`give the same rows and failures for ${ROUNDS} generated queries`, async () => {
    let settled = 0;
    const rules = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round += QUERIES_PER_STORE) {
      settled += await checkStore(SEED * 1_000_003 + round, rules);
    }
    if (ROUNDS >= DEFAULT_ROUNDS) for (const rule of RULES) assert.ok(rules.get(rule), rule);
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

async function checkStore(seed: number, rules: Map<string, number>): Promise<number> {
  const choices = new Choices(seed);
  const engine = new MemoryEngine();
  const catalog = createCatalog({ r: { entries: [] }, q: { entries: [] } });
  const regions = ['r', 'q'] as const;
  const base = { type: 'REPLICATE', keyConstraint: null, valueConstraint: null } as const;
  for (const name of regions) await engine.createRegion({ ...base, name });
  const store = openStore(engine);
  const isIndexed = choices.chance(75);
  const data = choices.of('tidy', 'any');
  const indexes = indexRegions(isIndexed ? INDEXES : {}, catalog);
  const write = async (): Promise<void> => {
    const region = await engine.openRegion(choices.of(...regions));
    const key = `k${choices.below(40)}`;
    await region?.write([
      choices.chance(20)
        ? { kind: 'remove', key }
        : { kind: 'put', key, value: withKey(choices, key, generateDocument(choices, data)) },
    ]);
  };
  for (let count = choices.of(0, 5, 60); count > 0; count -= 1) await write();
  let settled = 0;
  for (let index = 0; index < QUERIES_PER_STORE; index += 1) {
    // A hint makes an index be used even where a scan is cheaper.
    const hints = choices
      .some(2, () => `'${choices.of(...INDEXES.r, ...INDEXES.q).name}${choices.of('', '', '-x')}'`)
      .join(', ');
    const text = `${choices.chance(50) ? `<HINT ${hints}> ` : ''}${generateQuery(choices)}`;
    const pause = async (): Promise<void> => {
      if (choices.chance(10)) await write();
    };
    const label = `seed ${seed}, query ${index}: ${text}`;
    const {
      reference,
      answer,
      vector,
      asked,
      rules: applied,
    } = await runBoth({
      engine,
      store,
      catalog,
      text,
      pause,
      indexes,
    }).catch((error: unknown) => {
      throw new Error(label, { cause: error });
    });
    if (answer !== undefined) {
      assert.equal(answer.failure, reference.failure, label);
      if (reference.failure === undefined) assert.equal(answer.rows, reference.rows, label);
    }
    if (vector === undefined) continue;
    if (asked === undefined) {
      assert.deepEqual(vector, reference, label);
      settled += 1;
      for (const rule of applied) rules.set(rule, (rules.get(rule) ?? 0) + 1);
    } else if (vector.rows !== '') {
      assert.ok(reference.rows.startsWith(vector.rows), label);
    }
    if (choices.chance(30)) await write();
  }
  await engine.close();
  return settled;
}

/** Mostly the key itself as member `k`, now and then something else. */
function withKey(choices: Choices, key: string, document: string): string {
  if (!document.startsWith('{"')) return document;
  return `{"k":"${choices.chance(90) ? key : 'other'}",${document.slice(1)}`;
}
