// Runs every query of the golden scripts over columns, without indexes and with an index on every
// member. The results must equal those of the reference evaluator, which the scripts contain.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import type { Catalog } from '../../src/oql/bind/catalog.ts';
import { OqlError } from '../../src/oql/errors.ts';
import { bindQuery, parseQuery } from '../../src/oql/index.ts';
import { readScript } from '../../src/oql/reference/testing/golden-script.ts';
import { createCatalog, type MemoryRegion } from '../../src/oql/reference/testing/memory-source.ts';
import {
  type BothRequest,
  indexRegions,
  type Outcome,
  openStore,
  runBoth,
} from './both-engines.ts';

const folder = new URL('../../src/oql/testdata/execute/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.txt'));

/** Allowed share of the queries that cannot be bound, of which nothing is compared. */
const MOST_UNBOUND = 0.06;
/** Allowed share of the runs that fall back to rows: many scripts test what columns do not support. */
const MOST_FALLBACKS = 0.7;

const counts = { queries: 0, unbound: 0, runs: 0, fellBack: 0 };

/** Members of the values of a region that need no quotes. */
function membersOf({ entries }: MemoryRegion): readonly string[] {
  const found = entries.flatMap(({ value }) => {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null ? Object.keys(parsed) : [];
  });
  return [...new Set(found)].filter((name) => /^[a-z]\w*$/i.test(name)).sort();
}

async function openEngine(regions: ReadonlyMap<string, MemoryRegion>): Promise<MemoryEngine> {
  const engine = new MemoryEngine();
  for (const [name, { entries, type }] of regions) {
    await engine.createRegion(plainRegion(name));
    if (type === 'EMPTY') continue;
    const region = await engine.openRegion(name);
    await region?.write(entries.map(({ key, value }) => ({ kind: 'put', key, value })));
  }
  return engine;
}

describe('the golden scripts over columns', () => {
  it('exist', () => assert.ok(names.length > 30));

  for (const name of names) {
    it(`return the same as rows: ${name}`, async () => {
      const { regions, queries } = readScript(readFileSync(new URL(name, folder), 'utf8'));
      const engine = await openEngine(regions);
      try {
        const catalog = createCatalog(Object.fromEntries(regions));
        const store = openStore(engine);
        const definitions = [...regions].map(([region, content]) => {
          const indexes = membersOf(content).map((member) => ({
            name: `by-${member}`,
            kind: 'range' as const,
            expression: `x."${member}"`,
            from: `/${region} x`,
          }));
          return [region, indexes] as const;
        });
        const none = indexRegions({}, catalog);
        const all = indexRegions(Object.fromEntries(definitions), catalog);
        for (const { text, parameters } of queries) {
          counts.queries += 1;
          if (!isBound(text, catalog)) {
            counts.unbound += 1;
            continue;
          }
          // Indexes do not change what the reference evaluator returns.
          let reference: Outcome | undefined;
          for (const indexes of [none, all]) {
            const request = { engine, store, catalog, text, parameters, indexes, reference };
            reference = await compare(request);
          }
        }
      } finally {
        await engine.close();
      }
    });
  }

  it('and nearly all of them are compared, enough of them over columns', (t) => {
    const shown = JSON.stringify(counts);
    t.diagnostic(shown);
    assert.ok(counts.unbound < counts.queries * MOST_UNBOUND, shown);
    assert.ok(counts.fellBack < counts.runs * MOST_FALLBACKS, shown);
  });
});

/** The scripts themselves test the errors of queries that cannot be bound. */
function isBound(text: string, catalog: Catalog): boolean {
  try {
    bindQuery(parseQuery(text), catalog);
    return true;
  } catch (error) {
    if (error instanceof OqlError) return false;
    throw error;
  }
}

/** Returns the outcome of the reference evaluator. */
async function compare(request: BothRequest): Promise<Outcome> {
  const { reference, vector, answer, fallback } = await runBoth(request);
  counts.runs += 1;
  if (fallback !== undefined) counts.fellBack += 1;
  const given = answer ?? vector;
  assert.deepEqual(
    { rows: given?.rows, message: given?.message },
    { rows: reference.rows, message: reference.message },
    request.text,
  );
  return reference;
}
