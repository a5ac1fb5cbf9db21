// The columns of entries that are overwritten all the time stay within bounds.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ColumnStore, type TablePin } from './column-store.ts';
import { scanEntries } from './testing/scan-entries.ts';

const KEYS = 100;
const WRITES = 30_000;
const WRITES_PER_QUERY = 20;
const PATHS = [[['n']], [['name']], [['tags']]] as const;
const pacer = { isSliceOver: () => false, pause: async () => undefined };

/** A store whose entries get new numbers and strings with every write. */
class Overwritten {
  readonly store = new ColumnStore(1e9, 0);
  readonly #entries = new Map<string, string>();
  #sequence = 0;

  constructor() {
    for (let i = 0; i < KEYS; i += 1) this.write();
  }

  write(): void {
    const n = this.#sequence;
    this.#sequence += 1;
    const key = `k${n % KEYS}`;
    const value = `{"n":${n},"name":"name ${n} ${'x'.repeat(40)}","tags":["t${n}","u${n}"]}`;
    this.#entries.set(key, value);
    const changes = [{ kind: 'put', region: 'r', key, value }] as const;
    this.store.commit({ sequence: this.#sequence, changes });
  }

  /** Reads like a query; the pin is held until `release`. */
  async query(): Promise<TablePin> {
    const pin = this.store.pin('r');
    await pin.prepare({
      sequence: this.#sequence,
      paths: PATHS,
      collections: [[['tags']]],
      load: { entryCount: this.#entries.size, scan: () => scanEntries(this.#entries) },
      pacer,
    });
    return pin;
  }
}

describe('columns of entries that are overwritten all the time', () => {
  it('stay within bounds without queries', async () => {
    const overwritten = new Overwritten();
    (await overwritten.query()).release();
    let largest = 0;
    for (let i = 0; i < WRITES; i += 1) {
      overwritten.write();
      if (i % 1000 === 0) largest = Math.max(largest, overwritten.store.sizeBytes());
    }
    assert.ok(largest < 8 * 2 ** 20, `${largest} bytes`);
  });

  it('stay within bounds between queries, and while a query is always running', async () => {
    for (const overlap of [false, true]) {
      const overwritten = new Overwritten();
      let pin = await overwritten.query();
      let largest = 0;
      for (let i = 0; i < WRITES; i += 1) {
        if (i % WRITES_PER_QUERY === 0) {
          if (!overlap) pin.release();
          const next = await overwritten.query();
          if (overlap) pin.release();
          pin = next;
          largest = Math.max(largest, overwritten.store.sizeBytes());
        }
        overwritten.write();
      }
      assert.ok(largest < 8 * 2 ** 20, `${largest} bytes, overlap ${overlap}`);
    }
  });
});
