// Regions of several chunks: skipping chunks by min/max does not change a result. The generated regions
// of other tests are too small for that.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ColumnStore } from '../../src/columns/index.ts';
import type { Change } from '../../src/engine/engine.ts';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { createCatalog } from '../../src/oql/reference/testing/memory-source.ts';
import { Choices } from '../../src/oql/testing/queries/choices.ts';
import { generateChunked } from '../../src/oql/testing/queries/generate-chunked.ts';
import { pickSeed, shareOfRuns } from '../../src/value/testing/share-of-runs.ts';
import { openStore, runBoth } from './both-engines.ts';

/** Two full chunks and the beginning of a third. */
const ROWS = 8300;
const QUERIES = shareOfRuns(120);
/** Allowed share of the queries that fall back to rows. */
const MOST_FALLBACKS = 0.3;
const SEED = pickSeed();

/**
 * `up` grows with the keys, `down` falls, `few` has many equal values, `any` is random, `gaps` is often
 * absent, `wild` has every kind of number, and `odd` has a text in one chunk.
 */
function makeDocument(row: number, choices: Choices): string {
  const gap = choices.below(3);
  const gaps = gap === 0 ? '' : `,"gaps":${gap === 1 ? 'null' : choices.below(1000) - 500}`;
  const wild = choices.of('1.50', '9007199254740993', '-7', '1e3', '-0.0', '0', '2e-3', '12');
  const odd = row === 6000 ? '"text"' : row;
  const any = choices.below(100_000) / 100;
  return `{"id":${row},"up":${row},"down":${-row / 2},"few":${row % 7},"any":${any},"wild":${wild},"odd":${odd},"text":"text ${row}","items":[{"q":${row}},{"q":${choices.below(50)}}]${gaps}}`;
}

describe('queries over several chunks', () => {
  const engine = new MemoryEngine();
  const catalog = createCatalog({ r: { entries: [] }, q: { entries: [] } });
  const choices = new Choices(SEED);
  let store: ColumnStore;

  const put = (row: number): Change => ({
    kind: 'put',
    key: String(row).padStart(6, '0'),
    value: makeDocument(row, choices),
  });

  async function write(changes: readonly Change[]): Promise<void> {
    await (await engine.openRegion('r'))?.write(changes);
  }

  before(async () => {
    const base = { type: 'REPLICATE', keyConstraint: null, valueConstraint: null } as const;
    await engine.createRegion({ ...base, name: 'r' });
    await engine.createRegion({ ...base, name: 'q' });
    store = openStore(engine);
    await write(Array.from({ length: ROWS }, (_, row) => put(row)));
  });

  after(() => engine.close());

  it('return the same as the reference evaluator, also after and during writes', async (t) => {
    let overColumns = 0;
    // Other choices than those of writes, whose number depends on the pauses.
    const texts = new Choices(SEED);
    for (let round = 0; round < QUERIES; round += 1) {
      const text = generateChunked(texts);
      const label = `seed ${SEED}, query ${round}: ${text}`;
      // Rows are overwritten, added after and between the others, and removed.
      const change = (): Promise<void> => {
        const row = choices.below(ROWS + 500);
        const key = String(row).padStart(6, '0');
        return write([choices.chance(30) ? { kind: 'remove', key } : put(row)]);
      };
      const pause = async (): Promise<void> => {
        if (choices.chance(2)) await change();
      };
      const paused = choices.chance(30) ? { pause } : {};
      const { reference, vector, fallback } = await runBoth({
        engine,
        store,
        catalog,
        text,
        ...paused,
      });
      if (fallback === undefined) {
        assert.deepEqual(vector, reference, label);
        overColumns += 1;
      } else if (vector !== undefined && vector.rows !== '') {
        assert.ok(reference.rows.startsWith(vector.rows), label);
      }
      if (choices.chance(50)) await change();
    }
    const outcome = `${overColumns} of ${QUERIES} ran over columns`;
    t.diagnostic(outcome);
    assert.ok(QUERIES - overColumns < QUERIES * MOST_FALLBACKS, outcome);
  });

  it('yield within a frame while sorting by a joined region', async () => {
    const region = await engine.openRegion('q');
    for (let id = 0; id < 7; id += 1) {
      await region?.write([{ kind: 'put', key: `${id}`, value: `{"id":${id},"n":${-id}}` }]);
    }
    const text =
      "SELECT r.id FROM /r r, /q q WHERE r.few = q.id AND r.text LIKE '%7%' ORDER BY q.n, r.id LIMIT 3";
    const pause = async (): Promise<void> => undefined;
    const { reference, vector } = await runBoth({ engine, store, catalog, text, pause });
    assert.notEqual(reference.rows, '');
    assert.deepEqual(vector, reference);
  });

  it('fail where a later sort key has no order, also in rows beyond LIMIT', async () => {
    await write([put(6000)]);
    for (const clauses of ['ORDER BY r.odd LIMIT 3', 'ORDER BY r.odd DESC LIMIT 3']) {
      const text = `SELECT r.odd, COUNT(*) AS n FROM /r r GROUP BY r.odd ${clauses}`;
      const { reference, answer } = await runBoth({ engine, store, catalog, text });
      assert.notEqual(reference.failure, undefined, text);
      assert.deepEqual(answer, reference, text);
    }
    for (const keys of ['r.up, r.odd', 'r.down DESC, r.odd', 'r.few, r.odd * 2']) {
      const text = `SELECT r.id FROM /r r ORDER BY ${keys} LIMIT 3`;
      const { reference, answer } = await runBoth({ engine, store, catalog, text });
      assert.notEqual(reference.failure, undefined, text);
      assert.deepEqual(answer, reference, text);
    }
  });
});
