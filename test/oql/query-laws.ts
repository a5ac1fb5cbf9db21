// I6, laws that hold for every query and can be checked without knowing the right answer. A query that
// fails must always fail; it is not compared further.

import assert from 'node:assert/strict';
import { OqlError } from '../../src/oql/errors.ts';
import type { MemoryRegions } from '../../src/oql/reference/testing/memory-source.ts';
import { runQuery } from '../../src/oql/reference/testing/run-query.ts';
import { arbitraryFrom, type Choices } from '../../src/oql/testing/queries/choices.ts';
import { generateDocument } from '../../src/oql/testing/queries/generate-document.ts';
import {
  generatePlainQuery,
  generateQuery,
  type PlainQuery,
  printPlain,
} from '../../src/oql/testing/queries/generate-query.ts';
import { createSet, hashKey } from '../../src/value/compare.ts';
import { isList, type List } from '../../src/value/value.ts';
import { checkGenerated, type Family, type Figures, replay, type Work } from '../input/family.ts';

const AT_ONCE = 10;
/** Allowed share of the queries that fail, of which only the failure is checked. */
const MOST_DROPPED = 0.2;

export const queryLaws: Family = {
  id: 'I6',
  title: 'laws of queries',
  bar: 'split by a condition, LIMIT a part, DISTINCT twice as once, COUNT counts',
  cases: 5_000,
  benchCases: 500_000,
  run: runQueryLaws,
};

/** One case of every law. */
interface LawCase {
  readonly query: PlainQuery;
  readonly regions: MemoryRegions;
  readonly limit: number;
  readonly offset: number;
  /** A query of any shape. */
  readonly text: string;
}

const MOST_ENTRIES = 8;

function generateCase(choices: Choices): LawCase {
  return {
    query: generatePlainQuery(choices),
    regions: { r: generateRegion(choices), q: generateRegion(choices) },
    limit: choices.below(6),
    offset: choices.below(6),
    text: generateQuery(choices),
  };
}

function generateRegion(choices: Choices): MemoryRegions[string] {
  const data = choices.of('tidy', 'any');
  const entries = Array.from({ length: choices.below(MOST_ENTRIES) }, (_, at) => ({
    key: `k${at}`,
    value: generateDocument(choices, data),
  }));
  return { entries };
}

function newTally() {
  return { split: 0, dropped: 0, partsDropped: 0, distinctDropped: 0, succeeded: 0 };
}

async function runQueryLaws(work: Work): Promise<Figures> {
  const tally = newTally();
  const checkCase = async (one: LawCase): Promise<void> => {
    const split = await checkSplit(one);
    if (split === undefined) tally.dropped += 1;
    else tally.split += split;
    if (!(await checkPart(one))) tally.partsDropped += 1;
    if (!(await checkDistinct(one))) tally.distinctDropped += 1;
    await checkCount(one);
    if (await checkShape(one)) tally.succeeded += 1;
  };
  const replayed = await replay('I6', checkCase);
  Object.assign(tally, newTally());
  const done = await checkGenerated(
    arbitraryFrom(generateCase),
    { ...work, atOnce: AT_ONCE },
    async (batch) => {
      for (const one of batch) await checkCase(one);
    },
  );
  // A check that compares nothing proves nothing.
  assert.ok(tally.split > done / 2, `only ${tally.split} rows were compared`);
  const { distinctDropped, dropped, partsDropped } = tally;
  for (const count of [dropped, partsDropped, distinctDropped, done - tally.succeeded]) {
    assert.ok(count < done * MOST_DROPPED, `${count} of ${done} failed`);
  }
  return {
    cases: done,
    replayed,
    outcome: `${tally.split} rows split; not compared because the query fails: ${dropped} splits, ${partsDropped} parts, ${distinctDropped} DISTINCTs, ${done - tally.succeeded} of any shape`,
  };
}

/** The rows, or the OqlError; throws any other error, which is a defect of the evaluator. */
async function run(text: string, regions: MemoryRegions): Promise<List | OqlError> {
  try {
    const result = await runQuery(text, regions);
    assert.ok(isList(result));
    return result;
  } catch (error) {
    if (error instanceof OqlError) return error;
    throw new Error(`${text} broke the evaluator`, { cause: error });
  }
}

function keys(rows: List): readonly string[] {
  return rows.map(hashKey);
}

function sorted(rows: List): readonly string[] {
  return keys(rows).toSorted();
}

/** The rows where a condition is true, false and unknown are all rows. Returns how many, unless it failed. */
async function checkSplit({ query, regions }: LawCase): Promise<number | undefined> {
  // As part of a larger condition: alone, a `<>` would keep rows it leaves unknown.
  const all = await run(printPlain(query, 'TRUE'), regions);
  if (all instanceof OqlError) return undefined;
  const parts: List[] = [];
  for (const outcome of ['AND TRUE', '= FALSE', 'IS NULL']) {
    const part = await run(printPlain(query, `(${query.condition}) ${outcome}`), regions);
    if (part instanceof OqlError) return undefined;
    parts.push(part);
  }
  assert.deepEqual(sorted(parts.flat()), sorted(all));
  return all.length;
}

/** LIMIT and OFFSET return a part of the rows; false when the query fails. */
async function checkPart({ limit, offset, query, regions }: LawCase): Promise<boolean> {
  const text = printPlain(query);
  const all = await run(text, regions);
  if (all instanceof OqlError) return false;
  const first = await run(`${text} LIMIT ${limit}`, regions);
  const later = await run(`${text} LIMIT ${limit} OFFSET ${offset}`, regions);
  assert.ok(!(first instanceof OqlError) && !(later instanceof OqlError));
  assert.deepEqual(keys(first), keys(all.slice(0, limit)));
  assert.deepEqual(keys(later), keys(all.slice(offset, offset + limit)));
  return true;
}

/** DISTINCT returns the distinct rows, and is idempotent; false when the query fails. */
async function checkDistinct({ query, regions }: LawCase): Promise<boolean> {
  const all = await run(printPlain(query), regions);
  if (all instanceof OqlError) return false;
  const text = printPlain(query, '', 'DISTINCT ');
  const distinct = await run(text, regions);
  const twice = await run(`SELECT DISTINCT * FROM (${text}) d`, regions);
  assert.ok(!(distinct instanceof OqlError) && !(twice instanceof OqlError));
  assert.deepEqual(sorted(distinct), sorted(createSet(all).items));
  assert.deepEqual(keys(twice), keys(distinct));
  return true;
}

/** COUNT equals the number of rows. */
async function checkCount({ query, regions }: LawCase): Promise<void> {
  const where = query.where === '' ? '' : ` WHERE ${query.where}`;
  const rows = await run(`SELECT 1 FROM ${query.from}${where}`, regions);
  const count = await run(`SELECT COUNT(*) FROM ${query.from}${where}`, regions);
  if (rows instanceof OqlError) assert.ok(count instanceof OqlError && count.code === rows.code);
  else assert.deepEqual(count, [rows.length]);
}

/** A query of any shape can be bound and never breaks the evaluator; whether it succeeded. */
async function checkShape({ regions, text }: LawCase): Promise<boolean> {
  const rows = await run(text, regions);
  if (!(rows instanceof OqlError)) return true;
  assert.notEqual(rows.failure, 'invalid-syntax', `${text}\n${rows.message}`);
  return false;
}
