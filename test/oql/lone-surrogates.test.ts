// A lone surrogate in the text of a query: no stored value has one, and UTF-8 would replace it by
// another character.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { createCatalog } from '../../src/oql/reference/testing/memory-source.ts';
import { indexRegions, openStore, runBoth } from './both-engines.ts';

const CONDITIONS = [
  "o.s = 'x\ud800'",
  "o.s <> 'x\ud800'",
  "o.s > 'x\ud800'",
  "o.s <= 'x\ud800'",
  "o.s IN SET('x\ud800', 'none')",
  "o.s LIKE 'x\ud800%'",
  "UPPER(o.s) = 'X\ud800'",
  "LOWER(o.s) = 'x\ud800'",
];

describe('a lone surrogate in a query', () => {
  it('means the same over columns and indexes as row by row', async () => {
    const engine = new MemoryEngine();
    await engine.createRegion(plainRegion('r'));
    const catalog = createCatalog({ r: { entries: [] } });
    const store = openStore(engine);
    const region = await engine.openRegion('r');
    for (const [key, text] of [
      ['a', 'x\ufffd'],
      ['b', 'x'],
      ['c', 'x\u{10000}'],
    ] as const) {
      await region?.write([{ kind: 'put', key, value: JSON.stringify({ s: text }) }]);
    }
    const on = (name: string, expression: string) =>
      ({ name, kind: 'range', expression, from: '/r o' }) as const;
    const definitions = { r: [on('plain', 'o.s'), on('lower', 'LOWER(o.s)')] };
    for (const indexes of [{}, definitions]) {
      for (const condition of CONDITIONS) {
        const text = `<HINT 'plain', 'lower'> SELECT o.s FROM /r o WHERE ${condition}`;
        const request = { engine, store, catalog, text, indexes: indexRegions(indexes, catalog) };
        const { reference, answer, vector } = await runBoth(request);
        assert.equal((answer ?? vector)?.rows, reference.rows, JSON.stringify(condition));
      }
    }
    await engine.close();
  });
});
