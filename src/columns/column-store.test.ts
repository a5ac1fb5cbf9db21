import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CHUNK_BITS, CHUNK_MASK } from '../value/column-data.ts';
import type { ColumnPath } from '../value/column-path.ts';
import * as tags from '../value/row-tags.ts';
import { shareOfRuns } from '../value/testing/share-of-runs.ts';
import type { Column, ColumnChunk } from './column.ts';
import { ColumnStore, type TablePin } from './column-store.ts';
import type { PreparedTable } from './prepared-table.ts';
import { findNumber } from './testing/find-number.ts';
import { scanEntries } from './testing/scan-entries.ts';

// The oracle parses documents with JSON.parse and keeps rows in a Map.

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const names = ['a', 'b', 'items', 'a"q', '__proto__', 'é'];
const leaf = fc.oneof(
  fc.constantFrom('null', 'true', 'false', '0', '-1', '42', '1.5', '20.0', '1.50', '1e3', '-0'),
  fc.constantFrom('9007199254740993', '1E400', '0.0000001', '-0.0', '123456789012345.5'),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u00e9"', '"\\n\\"x\\\\"', '"\\ud83d\\ude00"'),
);
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    leaf,
    fc.array(tie('json'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom(...names), tie('json')), {
        selector: ([name]) => name,
        maxLength: 4,
      })
      .map(
        (members) => `{${members.map(([name, value]) => `${printName(name)}:${value}`).join()}}`,
      ),
  ),
}));

/** Prints some names with unnecessary escapes, which mean the same. */
function printName(name: string): string {
  return name === 'é' ? '"\\u00E9"' : JSON.stringify(name);
}

const path: fc.Arbitrary<ColumnPath> = fc
  .array(fc.array(fc.constantFrom(...names), { maxLength: 2 }), { minLength: 1, maxLength: 3 })
  .map((segments) =>
    segments.map((segment, index) => (index > 0 ? segment : ['items', ...segment].slice(0, 2))),
  );

function walk(value: Json | undefined, members: readonly string[]): Json | undefined {
  let at: Json | undefined = value;
  for (const name of members) {
    if (at === null || typeof at !== 'object' || Array.isArray(at)) return undefined;
    at = Object.hasOwn(at, name) ? (at as Record<string, Json>)[name] : undefined;
  }
  return at;
}

/** The expected values of a path: one value at the root, a list of lists below collections. */
function expected(document: Json, columnPath: ColumnPath): unknown {
  const [segment, ...rest] = columnPath;
  const value = walk(document, segment ?? []);
  if (rest.length === 0) return value === undefined ? 'missing' : { value };
  if (value === undefined || value === null) return [];
  const items: readonly Json[] = Array.isArray(value) ? value : [value as Json];
  return items.map((item) => expected(item, rest));
}

function readChunk(column: Column, chunk: ColumnChunk | undefined, row: number): unknown {
  const tag = chunk?.tags[row] ?? tags.MISSING;
  if (tag === tags.MISSING || chunk === undefined) return 'missing';
  assert.ok((chunk.mask & (1 << tag)) !== 0);
  if (tag === tags.NULL) return { value: null };
  if (tag === tags.TRUE || tag === tags.FALSE) return { value: tag === tags.TRUE };
  if (tag === tags.INTEGER || tag === tags.DOUBLE) return { value: chunk.numbers[row] };
  if (chunk.ids.length > 0 && tag !== tags.STRING) {
    assert.equal(chunk.ids[row], tags.RESERVED_IDS[tag]);
  }
  if (tag === tags.STRING) return { value: column.strings.text(chunk.ids[row] ?? 0) };
  const text = column.texts.text(chunk.texts[row] ?? 0);
  if (tag === tags.NON_CANONICAL_DOUBLE) assert.equal(chunk.numbers[row], Number(text));
  return { value: JSON.parse(text) as Json };
}

function actual(table: PreparedTable, columnPath: ColumnPath, row: number): unknown {
  const column = table.column(columnPath);
  assert.ok(column !== undefined);
  const chunk = row >> CHUNK_BITS;
  const read = (place: number, depth: number): unknown => {
    if (depth === columnPath.length) return readChunk(column, column.chunks[chunk], place);
    const lists = table.lists(columnPath.slice(0, depth)).chunks[chunk];
    const start = lists?.starts[place] ?? 0;
    return Array.from({ length: lists?.counts[place] ?? 0 }, (_, index) => {
      assert.equal(lists?.parents[start + index], place);
      return read(start + index, depth + 1);
    });
  };
  return read(row & CHUNK_MASK, 1);
}

function compareRows(
  table: PreparedTable,
  sequence: number,
  entries: ReadonlyMap<string, string>,
  paths: readonly ColumnPath[],
): void {
  const seen = new Map<string, number>();
  for (let chunk = 0; chunk < table.rows.chunkCount(); chunk += 1) {
    const visible = table.rows.visibleRows(chunk, sequence);
    for (let local = 0; local < table.rows.chunkSize(chunk); local += 1) {
      const row = (chunk << CHUNK_BITS) + local;
      assert.equal(table.rows.isVisible(row, sequence), (visible?.[local] ?? 1) === 1);
      if (table.rows.isAlive(row, sequence)) seen.set(table.rows.keyOf(row), row);
    }
  }
  assert.deepEqual([...seen.keys()].sort(), [...entries.keys()].sort());
  const nulls = [...entries.values()].filter((text) => text === 'null').length;
  assert.equal(table.rows.countNulls(sequence), nulls);
  for (const [key, text] of entries) {
    const row = seen.get(key) ?? -1;
    assert.equal(table.rows.findAt(key, sequence), row);
    assert.equal(table.rows.isVisible(row, sequence), text !== 'null');
    const document = JSON.parse(text) as Json;
    for (const columnPath of paths) {
      assert.deepEqual(actual(table, columnPath, row), expected(document, columnPath), text);
    }
  }
}

const change = fc.record({
  key: fc.constantFrom('k1', 'k2', 'k3', 'k4', 'é', '\u{1f600}', '\uff01'),
  value: fc.option(json),
});

describe('columns of a region', () => {
  it('have at each pinned commit the values that the parsed documents have', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 12 }),
        fc.array(
          fc.tuple(
            fc.array(change, { maxLength: 4 }),
            fc.array(path, { maxLength: 2 }),
            fc.boolean(),
            fc.array(change, { maxLength: 4 }),
          ),
          { maxLength: 5 },
        ),
        // With so little memory all unused parts are dropped at once.
        fc.constantFrom(1, 1e9),
        // With idle time, pending changes may be applied between any two steps of a query.
        fc.boolean(),
        async (initial, rounds, budget, hasIdleTime) => {
          const entries = new Map<string, string>();
          for (const { key, value } of initial) if (value !== null) entries.set(key, value);
          let clock = 0;
          const idle = {
            now: () => {
              clock += 1;
              return clock;
            },
            delay: async () => undefined,
          };
          const options = hasIdleTime ? { idle, manyPending: 1 } : {};
          const store = new ColumnStore(budget, 1, options);
          let sequence = 1;
          const commit = (changes: typeof initial): void => {
            sequence += 1;
            store.commit({
              sequence,
              changes: changes.map(({ key, value }) =>
                value === null
                  ? { kind: 'remove', region: 'r', key }
                  : { kind: 'put', region: 'r', key, value },
              ),
            });
            for (const { key, value } of changes) {
              if (value === null) entries.delete(key);
              else entries.set(key, value);
            }
          };
          const checksWhilePinned: (() => void)[] = [];
          for (const [changes, paths, keepsPin, afterwards] of rounds) {
            const pin: TablePin = store.pin('r');
            const at = sequence;
            const frozen = new Map(entries);
            let remaining = changes;
            const table = await pin.prepare({
              sequence: at,
              paths,
              collections: [],
              load: { entryCount: frozen.size, scan: () => scanEntries(frozen) },
              // Each pause makes one more commit.
              pacer: {
                isSliceOver: () => true,
                pause: async () => {
                  if (remaining.length > 0) commit(remaining.slice(0, 1));
                  remaining = remaining.slice(1);
                },
              },
            });
            assert.ok(table !== undefined);
            if (remaining.length > 0) commit(remaining);
            const check = (): void => compareRows(table, at, frozen, paths);
            check();
            if (keepsPin) checksWhilePinned.push(check);
            else pin.release();
            // There may be no reader now, so these changes become pending.
            for (const each of afterwards) {
              commit([each]);
              await Promise.resolve();
            }
          }
          for (const check of checksWhilePinned) check();
          // The parts that are still in memory are complete for a query that begins now.
          const paths = rounds.flatMap(([, each]) => each);
          const table = await store.pin('r').prepare({
            sequence,
            paths,
            collections: [],
            load: { entryCount: entries.size, scan: () => scanEntries(entries) },
            pacer: { isSliceOver: () => false, pause: async () => undefined },
          });
          assert.ok(table !== undefined);
          compareRows(table, sequence, entries, paths);
        },
      ),
      { numRuns: shareOfRuns(1_500) },
    );
  });

  it('drops the table when the region is cleared, but not for the query that uses it', async () => {
    const store = new ColumnStore(1e9, 0);
    const entries = new Map([['k', '{"a":1}']]);
    const request = {
      sequence: 0,
      paths: [[['a']]],
      collections: [],
      load: { entryCount: entries.size, scan: () => scanEntries(entries) },
      pacer: { isSliceOver: () => false, pause: async () => undefined },
    };
    const pin = store.pin('r');
    const table = await pin.prepare(request);
    store.commit({ sequence: 1, changes: [{ kind: 'clear', region: 'r' }] });
    assert.ok(table !== undefined);
    compareRows(table, 0, entries, [[['a']]]);
    pin.release();
    const later = await store.pin('r').prepare({
      ...request,
      sequence: 1,
      load: { entryCount: 0, scan: () => scanEntries(new Map()) },
    });
    assert.equal(later?.rows.size, 0);
  });

  it('fills new columns only when it has received every commit of the snapshot', async () => {
    const store = new ColumnStore(1e9, 0);
    const pacer = { isSliceOver: () => false, pause: async () => undefined };
    const prepare = (sequence: number, name: string, entries: ReadonlyMap<string, string>) =>
      store.pin('r').prepare({
        sequence,
        paths: [[[name]]],
        collections: [],
        load: { entryCount: entries.size, scan: () => scanEntries(entries) },
        pacer,
      });
    const [first, second, third] = ['k1', 'k2', 'k3'].map((key) => [key, '{"a":1,"b":2}'] as const);
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    await prepare(0, 'a', new Map([first]));

    const later = new Map([first, second]);
    const table = prepare(1, 'b', later);
    await new Promise((resolve) => setImmediate(resolve));
    const [key, value] = second;
    store.commit({ sequence: 1, changes: [{ kind: 'put', region: 'r', key, value }] });
    compareRows((await table) ?? assert.fail(), 1, later, [[['b']]]);

    // The commit was lost: the table will never receive it.
    const lost = prepare(2, 'c', new Map([first, second, third]));
    await new Promise((resolve) => setImmediate(resolve));
    store.reset(2);
    assert.equal(await lost, undefined);
  });

  it('applies pending changes before the next query reads, while others arrive', async () => {
    const store = new ColumnStore(1e9, 0);
    const entries = new Map(Array.from({ length: 200 }, (_, i) => [`k${i}`, `{"a":${i}}`]));
    let sequence = 0;
    const put = (key: string, a: number): void => {
      sequence += 1;
      const value = `{"a":${a}}`;
      entries.set(key, value);
      store.commit({ sequence, changes: [{ kind: 'put', region: 'r', key, value }] });
    };
    const remove = (key: string): void => {
      sequence += 1;
      entries.delete(key);
      store.commit({ sequence, changes: [{ kind: 'remove', region: 'r', key }] });
    };
    const paths = [[['a']]];
    const indexes = [{ name: 'by-a', kind: 'range', path: [['a']] } as const];
    const read = async (atEachPause: () => void): Promise<() => void> => {
      const pin = store.pin('r');
      const at = sequence;
      const frozen = new Map(entries);
      const table = await pin.prepare({
        sequence: at,
        paths,
        collections: [],
        indexes,
        load: { entryCount: frozen.size, scan: () => scanEntries(frozen) },
        pacer: { isSliceOver: () => true, pause: async () => atEachPause() },
      });
      assert.ok(table !== undefined);
      compareRows(table, at, frozen, paths);
      return () => {
        compareRows(table, at, frozen, paths);
        pin.release();
      };
    };
    (await read(() => undefined))();
    for (let round = 1; round <= 2; round += 1) {
      for (let i = 0; i < 150; i += 1) put(`k${i}`, i * round);
      for (let i = 180; i < 220; i += 1) put(`k${i}`, -i * round);
      for (let i = 150; i < 170; i += 1) remove(`k${i}`);
    }
    let pauses = 0;
    const finish = await read(() => {
      pauses += 1;
      put('k1', 1000 + pauses);
      remove('k199');
      put('k199', 2000 + pauses);
    });
    assert.ok(pauses > 3);
    finish();
    assert.deepEqual(findNumber(store, JSON.stringify('none'), 1), undefined);
    assert.deepEqual(findNumber(store, 'by-a', 2000 + pauses), { sequence, keys: ['k199'] });
    put('k3', 7777);
    assert.deepEqual(findNumber(store, 'by-a', 7777)?.keys, ['k3']);
    // More than are applied at once, so a query that can yield has to apply them.
    for (let i = 0; i < 200; i += 1) put(`k${i}`, 5);
    assert.equal(findNumber(store, 'by-a', 7777), undefined);
    (await read(() => undefined))();
    assert.deepEqual(findNumber(store, 'by-a', 7777)?.keys, []);
  });

  it('drops the least recently used parts when memory is short', async () => {
    const store = new ColumnStore(1, 0);
    const entries = new Map([['k', '{"a":1,"b":"x"}']]);
    const request = {
      sequence: 0,
      collections: [],
      load: { entryCount: entries.size, scan: () => scanEntries(entries) },
      pacer: { isSliceOver: () => false, pause: async () => undefined },
    };
    await store.pin('r').prepare({ ...request, paths: [[['a']]] });
    const before = store.sizeBytes();
    await store.pin('r').prepare({ ...request, paths: [[['b']]] });
    assert.ok(store.sizeBytes() < 1.5 * before);
  });

  it('keeps the tables that were used last when there are too many', async () => {
    const store = new ColumnStore(1e9, 0, { maxParts: 64 });
    const entries = new Map([['k', '{"a":1}']]);
    let loads = 0;
    const load = {
      entryCount: entries.size,
      scan: () => {
        loads += 1;
        return scanEntries(entries);
      },
    };
    const pacer = { isSliceOver: () => false, pause: async () => undefined };
    const use = async (region: number): Promise<void> => {
      const pin = store.pin(`r${region}`);
      await pin.prepare({ sequence: 0, collections: [], paths: [[['a']]], load, pacer });
      pin.release();
    };
    await use(0);
    const bytes = store.sizeBytes();
    for (let region = 1; region < 500; region += 1) await use(region);
    assert.equal(loads, 500);
    // A few more than the limit, because not every build measures all tables.
    assert.ok(store.sizeBytes() < 70 * bytes, `${store.sizeBytes() / bytes} tables`);
    for (let region = 499; region > 450; region -= 1) await use(region);
    assert.equal(loads, 500);
    await use(0);
    assert.equal(loads, 501);
  });

  it('leaves nothing half-built after a cancelled build', async () => {
    const store = new ColumnStore(1e9, 0);
    const entries = new Map([
      ['k1', '{"a":1}'],
      ['k2', '{"a":2}'],
    ]);
    const pacer = { isSliceOver: () => true, pause: () => Promise.reject(new Error('stop')) };
    const request = {
      sequence: 0,
      paths: [[['a']]],
      collections: [],
      load: { entryCount: entries.size, scan: () => scanEntries(entries) },
    };
    await assert.rejects(store.pin('r').prepare({ ...request, pacer }), /stop/);
    const calm = { isSliceOver: () => false, pause: async () => undefined };
    const table = await store.pin('r').prepare({ ...request, pacer: calm });
    assert.ok(table !== undefined);
    compareRows(table, 0, entries, [[['a']]]);
  });
});
