// Compares recorded changes in pages of every size with the same changes read one by one. Each put
// has the value that its key has now.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../../../value/testing/share-of-runs.ts';
import type { Change, ChangesWanted, Engine, RecordedChange } from '../../engine.ts';
import { definition, type EngineHarness, requireRegion } from './harness.ts';

/** The changes of one commit in each of two regions. */
type Step = readonly [readonly Change[], readonly Change[]];

interface PageCase {
  readonly steps: readonly Step[];
  readonly limit: number;
  readonly maxBytes: number;
  /** Keys that are wanted; all when undefined. */
  readonly keys: readonly string[] | undefined;
  readonly isOneRegion: boolean;
}

export function changePageContract(harness: EngineHarness): void {
  it('returns the same in pages as one by one', async (t) => {
    const engine = await harness.open(t);
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(pageCase, async ({ isOneRegion, keys, limit, maxBytes, steps }) => {
        runs += 1;
        const names = [`a${runs}`, `b${runs}`];
        for (const name of names) await engine.createRegion(definition(name));
        const after = engine.stats().sequence;
        const put = await writeSteps(engine, names, steps);
        const wanted: ChangesWanted = {
          ...(isOneRegion ? { regions: new Set(names.slice(0, 1)) } : {}),
          isWanted: ({ key }) => keys === undefined || key === null || keys.includes(key),
        };
        const expected = await readOneByOne(engine, after, wanted);
        const read = await readPages(engine, after, limit, { ...wanted, values: 'kept', maxBytes });
        assert.deepEqual(
          read.map(({ value, ...change }) => change),
          expected.map(({ value, ...change }) => change),
        );
        for (const [i, change] of read.entries()) {
          // Some engines log values that entries no longer have.
          const value = expected[i]?.value ?? (change.value && put.get(nameOf(change)));
          assert.ok(change.value === value, `the value of ${nameOf(change)}`);
        }
      }),
      { numRuns: shareOfRuns(harness.reopen === undefined ? 60 : 25) },
    );
  });
}

/** Returns the value of every put. */
async function writeSteps(
  engine: Engine,
  names: readonly string[],
  steps: readonly Step[],
): Promise<ReadonlyMap<string, string>> {
  const put = new Map<string, string>();
  for (const step of steps) {
    const writes = names.map((region, i) => ({ region, changes: step[i] ?? [] }));
    const outcome = await engine.commit(writes);
    assert.ok(outcome.kind === 'committed');
    for (const { changes, region } of writes) {
      for (const change of changes) {
        if (change.kind !== 'put') continue;
        put.set(nameOf({ sequence: outcome.version, region, key: change.key }), change.value);
      }
    }
  }
  return put;
}

function nameOf({ key, region, sequence }: Pick<RecordedChange, 'key' | 'region' | 'sequence'>) {
  return `${sequence} ${region} ${key}`;
}

async function readOneByOne(
  engine: Engine,
  after: number,
  { isWanted, regions }: ChangesWanted,
): Promise<readonly RecordedChange[]> {
  const outcome = await engine.readChanges(after, 1_000_000);
  assert.ok(outcome.kind === 'changes' && outcome.through === outcome.latest);
  const changes: RecordedChange[] = [];
  for (const change of outcome.changes) {
    const { key, kind, region, sequence } = change;
    if (regions?.has(region) === false || isWanted?.(change) === false) continue;
    const [entry] = key === null ? [] : await (await requireRegion(engine, region)).read([key]);
    const isCurrent = kind === 'put' && entry?.version === sequence;
    changes.push(isCurrent ? { ...change, value: entry.value } : change);
  }
  return changes;
}

async function readPages(
  engine: Engine,
  start: number,
  limit: number,
  wanted: ChangesWanted,
): Promise<readonly RecordedChange[]> {
  const changes: RecordedChange[] = [];
  for (let after = start; ; ) {
    const outcome = await engine.readChanges(after, limit, wanted);
    assert.ok(outcome.kind === 'changes');
    assert.ok(outcome.changes.every(({ sequence }) => sequence > after));
    assert.ok((outcome.changes.at(-1)?.sequence ?? after) <= outcome.through);
    changes.push(...outcome.changes);
    if (outcome.through === outcome.latest) return changes;
    assert.ok(outcome.through > after, 'a page makes progress');
    after = outcome.through;
  }
}

const key = fc.constantFrom('a', 'b', 'c', 'é', '\uffff', '\u{1F600}');
const value = fc
  .tuple(fc.constantFrom(1, 1, 20, 20, 3_000, 40_000, 300_000), fc.constantFrom('x', 'é', '7'))
  .map(([length, letter]) => `"${letter.repeat(length)}"`);
const changesOfRegion = fc.uniqueArray(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('put' as const), key, value }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), key }) },
  ),
  { maxLength: 5, selector: (change) => change.key },
);
const pageCase: fc.Arbitrary<PageCase> = fc.record({
  steps: fc.array(fc.tuple(changesOfRegion, changesOfRegion), { minLength: 1, maxLength: 12 }),
  limit: fc.constantFrom(1, 2, 3, 7, 1_000),
  maxBytes: fc.constantFrom(1, 1_000, 50_000, 400_000, 1_000_000_000),
  keys: fc.option(fc.uniqueArray(key, { minLength: 1 }), { nil: undefined }),
  isOneRegion: fc.boolean(),
});
