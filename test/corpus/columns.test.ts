// Every portable line of the corpus has the same result over columns as with the reference evaluator,
// without indexes and with an index of each kind on every path of its WHERE. results.test.ts tests the
// results of the reference evaluator.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { forEachChild } from '../../src/oql/bind/bound-children.ts';
import type { BoundExpression, BoundQuery } from '../../src/oql/bind/bound-query.ts';
import { shapeSelect } from '../../src/oql/columnar/shape.ts';
import { OqlError } from '../../src/oql/errors.ts';
import { bindQuery, parseQuery } from '../../src/oql/index.ts';
import {
  createCatalog,
  type MemoryRegions,
} from '../../src/oql/reference/testing/memory-source.ts';
import { printJson } from '../../src/value/json-print.ts';
import type { IndexKind } from '../../src/value/region-words.ts';
import { isList } from '../../src/value/value.ts';
import { indexRegion, type Outcome, openStore, runBoth } from '../oql/both-engines.ts';
import { type CorpusLine, readCorpus } from './corpus-line.ts';
import { dataSetOf, referenceResult } from './reference-results.ts';

const KINDS: readonly (IndexKind | undefined)[] = [undefined, 'range', 'hash', 'key'];
const lines = readCorpus().filter(
  ({ isPortable, dataSet }) => isPortable && dataSet !== undefined && dataSet !== 'dates240',
);
/** Share of the lines that do not compile, and of the runs that fall back to the reference. */
const MOST_UNBOUND = 0.15;
const MOST_FALLBACKS = 0.3;

describe('a line of the corpus returns the same over columns', () => {
  const counts = { lines: 0, unbound: 0, runs: 0, fellBack: 0, compared: 0, indexed: 0 };
  const dataSets = Map.groupBy(lines, ({ dataSet }) => dataSet ?? '');
  for (const [name, members] of dataSets) {
    it(`on data set ${name}`, async () => {
      const regions = dataSetOf(name);
      const engine = await fillEngine(regions);
      const catalog = createCatalog(regions);
      const store = openStore(engine);
      for (const line of members) {
        const query = tryBind(line, regions);
        counts.lines += 1;
        if (query === undefined) {
          counts.unbound += 1;
          continue;
        }
        // An index changes no result. The position in a failure is ignored, because the hint shifts it.
        let reference = await referenceOutcome(line, query);
        for (const kind of KINDS) {
          const region: string = query.regions[0] ?? '';
          const definitions = kind ? indexesFor(query, kind) : [];
          if (kind && definitions.length === 0) continue;
          const indexes = indexRegion(region, catalog, definitions);
          const text: string = kind ? withHints(line.oql, indexes.get(region) ?? []) : line.oql;
          const parameters = line.params;
          const request = { engine, store, catalog, text, parameters, indexes, reference };
          const both = await runBoth(request);
          if (both.reference.failure === undefined) reference = both.reference;
          counts.runs += 1;
          if (both.vector === undefined || both.fallback !== undefined) {
            counts.fellBack += 1;
            continue;
          }
          assert.deepEqual(both.vector, both.reference, `${line.id} with ${kind} index: ${text}`);
          counts.compared += 1;
          if ((indexes.get(region) ?? []).length > 0) counts.indexed += 1;
        }
      }
      await engine.close();
    });
  }

  it('and enough of them ran over columns and indexes', (test) => {
    assert.ok(counts.compared > 500, `${counts.compared}`);
    assert.ok(counts.indexed > 200, `${counts.indexed}`);
    const shown = JSON.stringify(counts);
    test.diagnostic(shown);
    assert.ok(counts.unbound < counts.lines * MOST_UNBOUND, shown);
    assert.ok(counts.fellBack < counts.runs * MOST_FALLBACKS, shown);
  });
});

/** What the reference evaluator returns; undefined if it fails, or if it is run for other batches. */
async function referenceOutcome(line: CorpusLine, query: BoundQuery): Promise<Outcome | undefined> {
  if (query.body.kind !== 'select') return undefined;
  try {
    const rows = await referenceResult(line);
    if (!isList(rows)) return undefined;
    return { rows: rows.map((row) => printJson(row)).join(), failure: undefined };
  } catch (error) {
    if (error instanceof OqlError) return undefined;
    throw error;
  }
}

async function fillEngine(regions: MemoryRegions): Promise<MemoryEngine> {
  const engine = new MemoryEngine();
  for (const [name, { type, entries }] of Object.entries(regions)) {
    await engine.createRegion({
      name,
      type: type ?? 'REPLICATE',
      keyConstraint: null,
      valueConstraint: null,
    });
    const region = await engine.openRegion(name);
    await region?.write(entries.map(({ key, value }) => ({ kind: 'put', key, value })));
  }
  return engine;
}

/** Undefined for lines that do not compile, which parse.test.ts covers. */
function tryBind(line: CorpusLine, regions: MemoryRegions): BoundQuery | undefined {
  try {
    const query = bindQuery(parseQuery(line.oql), createCatalog(regions));
    return query.parameters.numbered === line.params.length ? query : undefined;
  } catch (error) {
    if (error instanceof OqlError) return undefined;
    throw error;
  }
}

/** Without a hint a scan of so few rows would always be cheaper. */
function withHints(
  oql: string,
  indexes: readonly { readonly facts: { readonly name: string } }[],
): string {
  if (indexes.length === 0 || !/^\s*select/i.test(oql)) return oql;
  return `<HINT ${indexes.map(({ facts }) => `'${facts.name}'`).join(', ')}> ${oql}`;
}

function indexesFor(query: BoundQuery, kind: IndexKind) {
  const shape = shapeSelect(query.body);
  if (!('select' in shape) || shape.select.where === undefined) return [];
  const paths = new Set<string>();
  const definitions: { name: string; kind: IndexKind; expression: string; from: string }[] = [];
  const visit = (node: BoundExpression): void => {
    if (node.kind !== 'path') {
      forEachChild(node, visit);
      return;
    }
    const from = shape.select.iterators.slice(0, node.iterator + 1);
    const isFirst = shape.iterators[node.iterator]?.table === 0;
    const text = `${from[node.iterator]?.name}${node.members.map((each) => `."${each}"`).join('')}`;
    if (!isFirst || paths.has(text)) return;
    paths.add(text);
    const sources = from
      .map(({ name, source }) => `${printSource(source, from)} ${name}`)
      .join(', ');
    definitions.push({ name: `i${paths.size}`, kind, expression: text, from: sources });
  };
  visit(shape.select.where);
  return definitions;
}

function printSource(source: BoundExpression, from: readonly { readonly name: string }[]): string {
  if (source.kind !== 'path')
    return source.kind === 'region' || source.kind === 'region-view' ? `/${source.name}` : '';
  return `${from[source.iterator]?.name}${source.members.map((each) => `."${each}"`).join('')}`;
}
