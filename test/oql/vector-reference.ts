// I4: results over columns equal those of the reference evaluator, also while writes continue.

import assert from 'node:assert/strict';
import type { Engine } from '../../src/engine/engine.ts';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import type { Catalog } from '../../src/oql/bind/catalog.ts';
import { createCatalog } from '../../src/oql/reference/testing/memory-source.ts';
import { Choices } from '../../src/oql/testing/queries/choices.ts';
import { generateDocument } from '../../src/oql/testing/queries/generate-document.ts';
import { generateQuery } from '../../src/oql/testing/queries/generate-query.ts';
import { type Family, type Figures, replay, type Work } from '../input/family.ts';
import { type BothRequest, indexRegions, openStore, runBoth } from './both-engines.ts';

const QUERIES_PER_STORE = 30;
/** From this number of queries on, each rule of the planner must have been applied. */
const ENOUGH_FOR_ALL_RULES = 3_000;
/** Allowed share of the queries that fall back to rows; their answers are compared too. */
const MOST_FALLBACKS = 0.4;
/** Share of the queries with LEFT JOIN that must run over columns. */
const LEAST_LEFT_JOINS = 0.35;
const REGIONS = ['r', 'q'] as const;

/** What happened to the queries so far. */
interface Tally {
  overColumns: number;
  leftJoins: number;
  /** Those of them that ran over columns. */
  leftJoinsOverColumns: number;
  /** How many plans each rule changed. */
  readonly rules: Map<string, number>;
}

export const vectorReference: Family = {
  id: 'I4',
  title: 'generated OQL, over columns and indexes',
  bar: 'the rows and failures of the reference evaluator',
  cases: 20_000,
  benchCases: 2_000_000,
  run: runVectorReference,
};

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
    ...COMPUTED.map((expression, at) => ({
      name: `${region}-computed-${at}`,
      kind: expression.startsWith('LENGTH') ? ('hash' as const) : ('range' as const),
      expression,
      from: `/${region} o`,
    })),
    items('by-sku', 'sku'),
    items('by-q', 'q'),
  ];
}

const COMPUTED = [
  'LOWER(o.s)',
  'o.s.toUpperCase',
  'o.n + 1',
  'o.n * o.m',
  'LENGTH(o.t)',
  'YEAR(o.at)',
  "DATE_TRUNC('month', o.at)",
  'o.s, o.n',
  'o.n, o.m',
  'o.b, o.d, o.t',
  'LOWER(o.t), o.m',
];

/** Some members of the map in one region, all of them in the other. */
function choose(region: string, some: string, all: string): string {
  return region === 'r' ? some : all;
}

const INDEXES = { r: indexesOf('r'), q: indexesOf('q') };

/** Rules that must have been applied. */
const RULES = [
  'fold-constants',
  'order-joins',
  'push-down-filters',
  'use-index',
  'unite-or',
  'order-from-index',
  'count-from-index',
  'min-max-from-index',
  'distinct-from-index',
  'build-from-index',
  'join-through-index',
];

/** A query and entries that once gave different results. */
interface FoundQuery {
  readonly text: string;
  readonly entries: Readonly<
    Partial<Record<(typeof REGIONS)[number], Readonly<Record<string, unknown>>>>
  >;
}

async function runVectorReference({ cases, onProgress, seed }: Work): Promise<Figures> {
  const replayed = await replay('I4', checkFound);
  const tally: Tally = { overColumns: 0, leftJoins: 0, leftJoinsOverColumns: 0, rules: new Map() };
  let done = 0;
  while (done < cases) {
    await checkStore(seed * 1_000_003 + done, tally);
    done += QUERIES_PER_STORE;
    onProgress(done);
  }
  const { overColumns, leftJoins, leftJoinsOverColumns, rules } = tally;
  if (cases >= ENOUGH_FOR_ALL_RULES) for (const rule of RULES) assert.ok(rules.get(rule), rule);
  const ofLeftJoins = `${leftJoinsOverColumns} of ${leftJoins} with LEFT JOIN`;
  const outcome = `${overColumns} of ${done} ran over columns, ${ofLeftJoins}`;
  assert.ok(done - overColumns < done * MOST_FALLBACKS, outcome);
  assert.ok(leftJoinsOverColumns > leftJoins * LEAST_LEFT_JOINS, outcome);
  return { cases: done, replayed, outcome };
}

async function openRegions(): Promise<{ readonly engine: Engine; readonly catalog: Catalog }> {
  const engine = new MemoryEngine();
  for (const name of REGIONS) await engine.createRegion(plainRegion(name));
  return { engine, catalog: createCatalog({ r: { entries: [] }, q: { entries: [] } }) };
}

/** Runs it once without indexes and once with all of them. */
async function checkFound({ entries, text }: FoundQuery): Promise<void> {
  for (const definitions of [{}, INDEXES]) {
    const { catalog, engine } = await openRegions();
    const store = openStore(engine);
    for (const name of REGIONS) {
      const region = await engine.openRegion(name);
      for (const [key, value] of Object.entries(entries[name] ?? {})) {
        // A string is used as JSON text, so that no digit is lost.
        const json = typeof value === 'string' ? value : JSON.stringify(value);
        await region?.write([{ kind: 'put', key, value: json }]);
      }
    }
    const pause = async (): Promise<void> => undefined;
    const indexes = indexRegions(definitions, catalog);
    await checkQuery({ engine, store, catalog, text, pause, indexes }, text);
    await engine.close();
  }
}

/** The applied rules if the query ran over columns; undefined if it fell back. */
async function checkQuery(
  request: BothRequest,
  label: string,
): Promise<readonly string[] | undefined> {
  const { reference, answer, vector, fallback, rules } = await runBoth(request).catch(
    (error: unknown) => {
      throw new Error(label, { cause: error });
    },
  );
  if (answer !== undefined) {
    assert.equal(answer.failure, reference.failure, label);
    if (reference.failure === undefined) assert.equal(answer.rows, reference.rows, label);
  }
  if (vector === undefined) return undefined;
  if (fallback === undefined) {
    assert.deepEqual(vector, reference, label);
    return rules;
  }
  if (vector.rows !== '') assert.ok(reference.rows.startsWith(vector.rows), label);
  return undefined;
}

async function checkStore(seed: number, tally: Tally): Promise<void> {
  const choices = new Choices(seed);
  const { catalog, engine } = await openRegions();
  const store = openStore(engine);
  const isIndexed = choices.chance(75);
  const data = choices.of('tidy', 'any');
  const indexes = indexRegions(isIndexed ? INDEXES : {}, catalog);
  const write = async (): Promise<void> => {
    const region = await engine.openRegion(choices.of(...REGIONS));
    const key = `k${choices.below(40)}`;
    await region?.write([
      choices.chance(20)
        ? { kind: 'remove', key }
        : { kind: 'put', key, value: withKey(choices, key, generateDocument(choices, data)) },
    ]);
  };
  for (let count = choices.of(0, 5, 60); count > 0; count -= 1) await write();
  for (let index = 0; index < QUERIES_PER_STORE; index += 1) {
    // A hint forces an index even where a scan is cheaper.
    const hints = choices
      .some(2, () => `'${choices.of(...INDEXES.r, ...INDEXES.q).name}${choices.of('', '', '-x')}'`)
      .join(', ');
    const query = generateQuery(choices);
    const isHinted = choices.chance(50) && query.startsWith('SELECT');
    const text = `${isHinted ? `<HINT ${hints}> ` : ''}${query}`;
    const pause = async (): Promise<void> => {
      if (choices.chance(10)) await write();
    };
    const label = `seed ${seed}, query ${index}: ${text}`;
    const request = { engine, store, catalog, text, pause, indexes };
    const applied = await checkQuery(request, label);
    const leftJoins = text.includes('LEFT JOIN') ? 1 : 0;
    tally.leftJoins += leftJoins;
    if (applied !== undefined) {
      tally.overColumns += 1;
      tally.leftJoinsOverColumns += leftJoins;
      for (const rule of applied) tally.rules.set(rule, (tally.rules.get(rule) ?? 0) + 1);
    }
    if (choices.chance(30)) await write();
  }
  await engine.close();
}

/** Mostly the key itself as member `k`, sometimes something else. */
function withKey(choices: Choices, key: string, document: string): string {
  if (!document.startsWith('{"')) return document;
  return `{"k":"${choices.chance(90) ? key : 'other'}",${document.slice(1)}`;
}
