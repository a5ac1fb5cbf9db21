import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Value } from '../../value/value.ts';
import { OqlError, type OqlErrorCode } from '../errors.ts';
import { executeReference } from './execute-reference.ts';
import type { QuerySource } from './query-source.ts';
import type { RunContext } from './run-context.ts';
import { type MemoryRegions, MemorySource, toEntries } from './testing/memory-source.ts';
import { bindText, createContext, evaluateReference } from './testing/run-query.ts';

const NUMBERS = numbers(1000);
/** For nested loops. */
const FEW_NUMBERS = numbers(100);

function numbers(length: number): MemoryRegions {
  const entries = Array.from({ length }, (_, i) => [i, { i, g: i % 7 }]);
  return { n: { entries: toEntries(Object.fromEntries(entries)) } };
}

/** A clock that advances by `stepMs` whenever it is read. */
function steppingClock(stepMs: number): () => number {
  let now = 0;
  return () => {
    now += stepMs;
    return now;
  };
}

async function collect(
  text: string,
  context: Partial<RunContext>,
  source: QuerySource = new MemorySource(NUMBERS),
): Promise<readonly Value[]> {
  const query = bindText(text, NUMBERS);
  const rows: Value[] = [];
  for await (const batch of executeReference(query, source, { ...createContext(), ...context })) {
    rows.push(...batch);
  }
  return rows;
}

function hasCode(code: OqlErrorCode): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof OqlError, String(error));
    assert.equal(error.code, code);
    return true;
  };
}

describe('delivery', () => {
  it('has batches of 256 rows', async () => {
    const query = bindText('SELECT n.i FROM /n n', NUMBERS);
    const sizes: number[] = [];
    const run = executeReference(query, new MemorySource(NUMBERS), createContext());
    for await (const batch of run) sizes.push(batch.length);
    assert.deepEqual(sizes, [256, 256, 256, 232]);
  });

  it('reads nothing before the first batch is requested', async () => {
    const source = new MemorySource(NUMBERS);
    const run = executeReference(bindText('SELECT * FROM /n', NUMBERS), source, createContext());
    assert.equal(source.entriesRead, 0);
    await run.next();
    assert.ok(source.entriesRead < 300);
    await run.return();
    assert.equal(source.readersOpen, 0);
  });

  it('stops reading when LIMIT is reached', async () => {
    const source = new MemorySource(NUMBERS);
    const rows = await collect('SELECT n.i FROM /n n WHERE n.i > 3 LIMIT 2', {}, source);
    assert.deepEqual(rows, [4, 5]);
    assert.ok(source.entriesRead < 10);
    assert.equal(source.readersOpen, 0);
  });

  it('loads a region once, however often it is scanned', async () => {
    const source = new MemorySource(FEW_NUMBERS);
    const text = 'SELECT a.i FROM /n a, /n b WHERE a.i < 3 AND a.i = b.i';
    assert.deepEqual(await collect(text, {}, source), [0, 1, 2]);
    assert.equal(source.entriesRead, 200);
  });

  it('does not load a region for a look-up by key or for its size', async () => {
    const source = new MemorySource(NUMBERS);
    const query = bindText("/n['5'].i + /n.size", NUMBERS);
    assert.equal(await evaluateReference(query, source, createContext()), 1005);
    assert.equal(source.entriesRead, 0);
  });

  it('supports as many iterators as a text may have', async () => {
    const iterators = Array.from({ length: 256 }, (_, index) => `SET(1) a${index}`);
    assert.deepEqual(await collect(`SELECT COUNT(*) FROM ${iterators.join(', ')}`, {}), [1]);
  });

  it('computes an uncorrelated subquery once', async () => {
    const source = new MemorySource(NUMBERS);
    const text = 'SELECT n.i FROM /n n WHERE n.i IN (SELECT m.i * 2 FROM /n m WHERE m.i < 4)';
    assert.deepEqual(await collect(text, {}, source), [0, 2, 4, 6]);
    assert.equal(source.entriesRead, 2000);
  });

  it('returns the elements of an expression that is a collection, and refuses a scalar', async () => {
    assert.deepEqual(await collect('SET(1, 2)', {}), [1, 2]);
    await assert.rejects(collect('1 + 1', {}), hasCode('oql/result-not-collection'));
    await assert.rejects(collect('NULL', {}), hasCode('oql/result-not-collection'));
  });
});

describe('slices', () => {
  it('yield while the keys of a large collection are computed for IN', async () => {
    let pauses = 0;
    const collection = Array.from({ length: 50_000 }, (_, i) => i);
    const query = bindText('SELECT COUNT(*) FROM /n n WHERE n.i IN $1 LIMIT 1', NUMBERS);
    const context: RunContext = {
      parameters: [collection],
      now: steppingClock(2),
      pause: async () => {
        pauses += 1;
      },
    };
    const result = await evaluateReference(query, new MemorySource(NUMBERS), context);
    assert.deepEqual(result, [1]);
    assert.ok(pauses > 1000, `${pauses} pauses`);
  });

  it('yield while two collections are united, which happens once for all rows', async () => {
    const parameters = [Array.from({ length: 9_000 }, (_, i) => i % 4_500), [4_500, 4_501, 7]];
    const operands = 9_003 / 32;
    for (const [text, rows, steps] of [
      ['$1 UNION $2', 4_502, operands],
      ['$1 UNION ALL $2', 9_003, operands],
      ['$1 EXCEPT $2', 4_499, operands],
      ['$1 INTERSECT ALL $2', 1, operands],
      // The keys of IN are made from all elements of the union.
      ['SELECT n.i FROM /n n WHERE n.i IN ($1 UNION $2)', 1_000, operands + 4_502 / 4],
    ] as const) {
      let pauses = 0;
      const pause = async (): Promise<void> => {
        pauses += 1;
      };
      // Every reading of the clock is the end of a slice.
      const found = await collect(text, { now: steppingClock(2), pause, parameters });
      assert.equal(found.length, rows, text);
      // Rows of the result, and of the region, are delivered in steps too.
      assert.ok(pauses > steps - 5 && pauses < steps + 3_000, `${text}: ${pauses} pauses`);
    }
  });

  it('yield between rows when a slice is used up', async () => {
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses += 1;
    };
    for (const text of [
      'SELECT n.i FROM /n n WHERE n.i < 0',
      'SELECT n.g, COUNT(*) FROM /n n GROUP BY n.g',
      'SELECT n.i FROM /n n ORDER BY n.g, n.i DESC LIMIT 1',
      'SELECT DISTINCT n.g FROM /n n',
      'SELECT n.i, COUNT(*) FROM /n n GROUP BY n.i HAVING n.i < 0',
      'SELECT COUNT(*) FROM $1 a, $1 b, /n n',
    ]) {
      pauses = 0;
      const parameters = [[1, 2]];
      await collect(text, { now: steppingClock(1), pause, parameters });
      assert.ok(pauses > 20, text);
    }
  });

  it('do not change the order of a long sort', async () => {
    const rows = await collect('SELECT n.i FROM /n n ORDER BY n.g DESC, n.i', {
      now: steppingClock(1),
    });
    const expected = Array.from({ length: 1000 }, (_, i) => i).sort(
      (a, b) => (b % 7) - (a % 7) || a - b,
    );
    assert.deepEqual(rows, expected);
  });

  it('end the run when its time is over', async () => {
    const context = { now: steppingClock(1), timeoutMs: 50 };
    const source = new MemorySource(NUMBERS);
    await assert.rejects(collect('SELECT * FROM /n', context, source), hasCode('oql/timeout'));
    assert.equal(source.readersOpen, 0);
    const expression = bindText('(SELECT n.i FROM /n n).size', NUMBERS);
    await assert.rejects(
      evaluateReference(expression, source, { ...createContext(), ...context }),
      hasCode('oql/timeout'),
    );
    assert.equal(source.readersOpen, 0);
  });

  it('end the run when it is cancelled, even if OR could hide a failure', async () => {
    const controller = new AbortController();
    const pause = async (): Promise<void> => controller.abort();
    const context = { now: steppingClock(1), pause, signal: controller.signal };
    const text = 'SELECT * FROM /n n WHERE TRUE OR n.i IN (SELECT m.i FROM /n m)';
    await assert.rejects(collect(text, context), hasCode('oql/cancelled'));
  });

  it('end the run when memory is low, before anything is read', async () => {
    const source = new MemorySource(NUMBERS);
    await assert.rejects(
      collect('SELECT * FROM /n', { isMemoryLow: () => true }, source),
      hasCode('oql/low-memory'),
    );
    assert.equal(source.entriesRead, 0);
  });
});

describe('the number of rows kept in memory', () => {
  const limits: readonly (readonly [string, number])[] = [
    ['SELECT * FROM /n a, /n b', 999],
    ['SELECT n.i FROM /n n ORDER BY n.i', 999],
    ['SELECT DISTINCT n.i FROM /n n', 999],
    ['SELECT n.i, COUNT(*) FROM /n n GROUP BY n.i', 999],
    ['SELECT 1 FROM /n n WHERE n.i IN (SELECT m.i FROM /n m)', 999],
    ['SELECT COUNT(DISTINCT n.i), MAX(n.i) FROM /n n', 1000],
  ];

  it('is limited in joins, sorts, groups, DISTINCT and subqueries', async () => {
    for (const [text, maxRowsKept] of limits) {
      await assert.rejects(collect(text, { maxRowsKept }), hasCode('oql/too-many-rows'), text);
    }
  });

  it('is small where little has to be kept', async () => {
    assert.equal((await collect('SELECT * FROM /n', { maxRowsKept: 0 })).length, 1000);
    assert.deepEqual(await collect('SELECT COUNT(*) FROM /n', { maxRowsKept: 0 }), [1000]);
    const groups = 'SELECT n.g, SUM(n.i) FROM /n n GROUP BY n.g';
    assert.equal((await collect(groups, { maxRowsKept: 7 })).length, 7);
    // Each run of the correlated subquery releases the rows of the previous one.
    const text = 'SELECT (SELECT x FROM SET(n.i, n.g) x) AS xs FROM /n n';
    assert.equal((await collect(text, { maxRowsKept: 4 })).length, 1000);
  });

  it('decreases when a stage ends early and when a subquery fails', async () => {
    for (const inner of [
      '(SELECT DISTINCT x FROM SET(1, 2, 3) x LIMIT 1)',
      '(SELECT x FROM SET(3, n.i, 2) x ORDER BY x LIMIT 1)',
      '(SELECT x, COUNT(*) FROM SET(1, n.i) x GROUP BY x LIMIT 1)',
      '(SELECT x / (n.i - n.i) FROM SET(1, 2) x WHERE n.i > 0 OR x > 1)',
    ]) {
      const text = `SELECT n.i FROM /n n WHERE ${inner}.isEmpty OR TRUE`;
      assert.equal((await collect(text, { maxRowsKept: 20 })).length, 1000, inner);
    }
  });

  it('does not grow with the region when only the first rows of a sort are wanted', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, i) => [i, { i: (i * 7919) % 20_000 }]),
    );
    const regions = { n: { entries: toEntries(many) } };
    const query = bindText('SELECT n.i FROM /n n ORDER BY n.i DESC LIMIT 2 OFFSET 1', regions);
    const context = { ...createContext(), maxRowsKept: 5_000 };
    const result = await evaluateReference(query, new MemorySource(regions), context);
    assert.deepEqual(result, [19_998, 19_997]);
  });
});

describe('the source', () => {
  const failing: QuerySource = {
    findRegion: async () => ({
      type: 'REPLICATE',
      size: 1,
      entries: async function* () {
        yield [{ key: '0', value: '{"i":0}' }];
        throw new Error('disk on fire');
      },
      get: () => Promise.reject(new Error('disk on fire')),
    }),
  };

  it('that fails is reported as data unavailable', async () => {
    for (const text of ['SELECT * FROM /n', "/n['5']", 'SELECT * FROM /n a, /n b']) {
      const query = bindText(text, NUMBERS);
      await assert.rejects(
        evaluateReference(query, failing, createContext()),
        (error) =>
          hasCode('oql/data-unavailable')(error) &&
          error instanceof Error &&
          error.cause instanceof Error,
        text,
      );
    }
  });

  it('that lost a region since binding is reported as an unknown region', async () => {
    const withoutRegions: QuerySource = { findRegion: async () => undefined };
    await assert.rejects(
      collect('SELECT * FROM /n', {}, withoutRegions),
      hasCode('oql/region-not-found'),
    );
  });
});
