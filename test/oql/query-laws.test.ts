// Laws that hold for every query, whatever it asks: nobody has to know the right answer to check
// them. A query that fails has to fail; it is not compared further.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { OqlError } from '../../src/oql/errors.ts';
import type { MemoryRegions } from '../../src/oql/execute/testing/memory-source.ts';
import { runQuery } from '../../src/oql/execute/testing/run-query.ts';
import { createSet, hashKey } from '../../src/value/compare.ts';
import { isList, type List } from '../../src/value/value.ts';
import { arbitraryPlainQuery, arbitraryQuery, printPlain } from './arbitrary-query.ts';
import { arbitraryRegions } from './arbitrary-regions.ts';

const RUNS = Number(process.env['OQL_LAW_RUNS'] ?? 1000);

/** The rows, or the error if the query fails; anything but an OqlError is a broken evaluator. */
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

describe('a query', () => {
  it('is split by a condition into the rows where it is true, false and undecided', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(arbitraryPlainQuery, arbitraryRegions, async (query, regions) => {
        // As part of a larger condition: alone, a `<>` would keep rows it leaves undecided.
        const all = await run(printPlain(query, 'TRUE'), regions);
        const parts: List[] = [];
        for (const outcome of ['AND TRUE', '= FALSE', 'IS NULL']) {
          const part = await run(printPlain(query, `(${query.condition}) ${outcome}`), regions);
          if (part instanceof OqlError || all instanceof OqlError) return;
          parts.push(part);
        }
        if (all instanceof OqlError) return;
        compared += all.length;
        assert.deepEqual(sorted(parts.flat()), sorted(all));
      }),
      { numRuns: RUNS },
    );
    assert.ok(compared > 0);
  });

  it('with LIMIT and OFFSET gives a part of its rows', async () => {
    const counts = fc.integer({ min: 0, max: 5 });
    await fc.assert(
      fc.asyncProperty(
        arbitraryPlainQuery,
        arbitraryRegions,
        counts,
        counts,
        async (query, regions, limit, offset) => {
          const all = await run(printPlain(query), regions);
          if (all instanceof OqlError) return;
          const text = printPlain(query);
          const first = await run(`${text} LIMIT ${limit}`, regions);
          const later = await run(`${text} LIMIT ${limit} OFFSET ${offset}`, regions);
          assert.ok(!(first instanceof OqlError) && !(later instanceof OqlError));
          assert.deepEqual(keys(first), keys(all.slice(0, limit)));
          assert.deepEqual(keys(later), keys(all.slice(offset, offset + limit)));
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('with DISTINCT gives its different rows, and twice the same as once', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPlainQuery, arbitraryRegions, async (query, regions) => {
        const all = await run(printPlain(query), regions);
        if (all instanceof OqlError) return;
        const text = printPlain(query, '', 'DISTINCT ');
        const distinct = await run(text, regions);
        const twice = await run(`SELECT DISTINCT * FROM (${text}) d`, regions);
        assert.ok(!(distinct instanceof OqlError) && !(twice instanceof OqlError));
        assert.deepEqual(sorted(distinct), sorted(createSet(all).items));
        assert.deepEqual(keys(twice), keys(distinct));
      }),
      { numRuns: RUNS },
    );
  });

  it('counts what it finds', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPlainQuery, arbitraryRegions, async (query, regions) => {
        const where = query.where === '' ? '' : ` WHERE ${query.where}`;
        const rows = await run(`SELECT 1 FROM ${query.from}${where}`, regions);
        const count = await run(`SELECT COUNT(*) FROM ${query.from}${where}`, regions);
        if (rows instanceof OqlError)
          assert.ok(count instanceof OqlError && count.code === rows.code);
        else assert.deepEqual(count, [rows.length]);
      }),
      { numRuns: RUNS },
    );
  });

  it('of any shape is bound and never breaks the evaluator', async () => {
    let succeeded = 0;
    await fc.assert(
      fc.asyncProperty(arbitraryQuery, arbitraryRegions, async (text, regions) => {
        const rows = await run(text, regions);
        if (!(rows instanceof OqlError)) succeeded += 1;
        else assert.notEqual(rows.failure, 'invalid-syntax', `${text}\n${rows.message}`);
      }),
      { numRuns: RUNS * 2 },
    );
    assert.ok(succeeded > RUNS / 2, `only ${succeeded} queries succeeded`);
  });
});
