import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ColumnPath } from '../value/column-path.ts';
import { shareOfRuns } from '../value/testing/share-of-runs.ts';
import { ColumnStore, type StoreCommit, type TablePin } from './column-store.ts';
import { PathSummary } from './path-summary.ts';
import { buildPathTree } from './path-tree.ts';
import type { PreparedTable } from './prepared-table.ts';
import { JsonScanner } from './scan-json.ts';
import { scanEntries } from './testing/scan-entries.ts';

const pacer = { isSliceOver: () => false, pause: async () => undefined };

/** A store of one region that counts how often it is scanned. */
class Region {
  readonly entries: Map<string, string>;
  readonly store: ColumnStore;
  scans = 0;
  sequence = 1;

  constructor(
    documents: readonly unknown[],
    { budget = 1e9, ...options }: { budget?: number; maxParts?: number; spareBytes?: number } = {},
  ) {
    this.entries = new Map(documents.map((each, at) => [`k${at}`, JSON.stringify(each)]));
    this.store = new ColumnStore(budget, 1, options);
  }

  put(key: string, value: unknown): void {
    this.sequence += 1;
    const text = JSON.stringify(value);
    this.entries.set(key, text);
    const commit: StoreCommit = {
      sequence: this.sequence,
      changes: [{ kind: 'put', region: 'r', key, value: text }],
    };
    this.store.commit(commit);
  }

  async query<T>(
    paths: readonly ColumnPath[],
    read: (table: PreparedTable | undefined, pin: TablePin) => T,
  ): Promise<T> {
    const pin = this.store.pin('r');
    try {
      const table = await pin.prepare({
        sequence: this.sequence,
        paths,
        collections: [],
        load: {
          entryCount: this.entries.size,
          scan: () => {
            this.scans += 1;
            return scanEntries(new Map(this.entries), 100);
          },
        },
        pacer,
      });
      return read(table, pin);
    } finally {
      pin.release();
    }
  }

  /** The numbers at a path, in the order of rows. */
  numbers(path: ColumnPath): Promise<number[]> {
    return this.query([path], (table) => {
      assert.ok(table !== undefined);
      const { numbers } = table.column(path).chunk(0);
      return [...numbers.subarray(0, table.rows.size)].filter((each) => !Number.isNaN(each));
    });
  }
}

function absentPaths(round: number, count = 4500): ColumnPath[] {
  return Array.from({ length: count }, (_, at) => [[`w${round}_${at}`]]);
}

const documents = Array.from({ length: 300 }, (_, at) => ({ a: at, o: { b: at }, l: [{ c: at }] }));

describe('paths that no document has', () => {
  it('are not built, nor is the region scanned for them again', async () => {
    const region = new Region(documents);
    await region.query([[['a']]], () => undefined);
    await region.query(absentPaths(0), () => undefined);
    assert.equal(region.scans, 2, 'one scan finds all paths');
    const before = region.store.sizeBytes();
    for (let round = 1; round <= 20; round += 1) {
      const found = await region.query(absentPaths(round), (table) =>
        table?.column([[`w${round}_7`]]).chunks.some((chunk) => (chunk?.filled ?? 0) > 0),
      );
      assert.equal(found, false);
    }
    assert.equal(region.scans, 2);
    assert.equal(region.store.sizeBytes(), before);
  });

  it('are not kept when the first query of a region asks for thousands', async () => {
    const region = new Region(documents);
    await region.query([[['a']], ...absentPaths(0)], () => undefined);
    const before = region.store.sizeBytes();
    await region.query(absentPaths(1), () => undefined);
    assert.equal(region.scans, 1);
    assert.equal(region.store.sizeBytes(), before);
  });

  it('are built once a write adds them, in members, objects and lists', async () => {
    const region = new Region(documents);
    const paths: ColumnPath[] = [[['x']], [['o', 'x']], [['l'], ['x']], [['m'], ['n'], ['x']]];
    await region.query([[['a']]], () => undefined);
    await region.query(paths, () => undefined);
    region.put('k3', { x: 1, o: { x: 2 }, l: [{ x: 3 }], m: [{ n: { x: 4 } }] });
    for (const [at, path] of paths.entries()) {
      const found = await region.query([path], (table) => {
        const [...numbers] = table?.column(path).chunk(0).numbers ?? [];
        return numbers.filter((each) => !Number.isNaN(each));
      });
      assert.deepEqual(found, [at + 1], JSON.stringify(path));
    }
  });

  it('stay absent for a query that began before the write', async () => {
    const region = new Region(documents);
    await region.query([[['a']]], () => undefined);
    await region.query([[['y']]], () => undefined);
    await region.query([[['x']]], (table) => {
      region.put('k3', { x: 1 });
      assert.equal(table?.column([['x']]).chunk(0).filled, 0);
    });
    assert.deepEqual(await region.numbers([['x']]), [1]);
  });

  it('may be any path below an object that is used as a map', async () => {
    const region = new Region(documents.map((each, at) => ({ ...each, map: { [`k${at}`]: at } })));
    const many = Array.from({ length: 600 }, (_, at) => [`m${at}`, at]);
    region.put('k9', { map: Object.fromEntries(many) });
    await region.query([[['a']]], () => undefined);
    await region.query([[['x']]], () => undefined);
    const { scans } = region;
    assert.deepEqual(await region.numbers([['map', 'm599']]), [599]);
    assert.deepEqual(await region.numbers([['map', 'k5']]), [5]);
    await region.query([[['z']]], () => undefined);
    assert.equal(region.scans, scans + 2, 'the members of the map were scanned for');
  });
});

describe('the parts of all tables', () => {
  it('are bounded in number, and the least recently used are dropped', async () => {
    const wide = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`m${at}`, at]));
    const region = new Region([wide, wide], { maxParts: 20 });
    for (let at = 0; at < 200; at += 1) {
      assert.deepEqual(await region.numbers([[`m${at}`]]), [at, at]);
    }
    const { scans } = region;
    for (let at = 180; at < 200; at += 1) await region.numbers([[`m${at}`]]);
    assert.equal(region.scans, scans, 'the last ones are there');
    await region.numbers([['m0']]);
    assert.equal(region.scans, scans + 1, 'the first one is not');
  });

  it('fall back to rows for a query that needs far more memory than there is', async () => {
    const large = ['a', 'b', 'c'].map((letter) => ({ n: 7, text: letter.repeat(1 << 20) }));
    const region = new Region(large, { budget: 1, spareBytes: 1 << 20 });
    assert.equal(await region.query([[['text']]], (table) => table), undefined);
    assert.deepEqual(await region.numbers([['n']]), [7, 7, 7]);
  });
});

describe('a path summary', () => {
  const names = fc.constantFrom('a', 'b', 'é', 'a"q', '', '__proto__', 'x'.repeat(300));
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, 1, 'text', true),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(names, tie('json'), { maxKeys: 4, noNullPrototype: false }),
    ),
  }));

  it('has every path at which a document has a value', () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1, maxLength: 5 }), (values) => {
        const summary = new PathSummary();
        const scanner = new JsonScanner(buildPathTree({ columns: [], lists: [] }, summary.root));
        for (const value of values) {
          // An unnecessary escape is another spelling of the same name.
          const text = JSON.stringify(value).replaceAll('"b":', '"\\u0062":');
          scanner.scan(new TextEncoder().encode(text), 0, 0);
        }
        summary.isComplete = true;
        for (const value of values) {
          for (const path of pathsOf(value)) assert.ok(summary.mayHave(path), JSON.stringify(path));
        }
        assert.ok(!summary.mayHave([['nowhere']]));
      }),
      { numRuns: shareOfRuns(2_500) },
    );
  });
});

/** All paths of a value, through members and items. */
function pathsOf(value: unknown): ColumnPath[] {
  const found: ColumnPath[] = [[[]]];
  if (Array.isArray(value)) {
    for (const item of value) for (const rest of pathsOf(item)) found.push([[], ...rest]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      for (const [first = [], ...rest] of pathsOf(member)) found.push([[name, ...first], ...rest]);
    }
    // An object is treated as its own only item.
    for (const [name, member] of Object.entries(value)) {
      for (const [first = [], ...rest] of pathsOf(member)) {
        found.push([[], [name, ...first], ...rest]);
      }
    }
  }
  return found;
}
