// Queries with conditions on keys read only those keys, and return the same as with a full scan.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { printJson } from '../../value/json-print.ts';
import type { Value } from '../../value/value.ts';
import { bindQuery } from '../bind/bind-query.ts';
import type { ColumnSource } from '../columnar/column-source.ts';
import { OqlError } from '../errors.ts';
import { executeReference } from '../reference/execute-reference.ts';
import type { QuerySource } from '../reference/query-source.ts';
import { createCatalog, MemorySource } from '../reference/testing/memory-source.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { executeQuery } from './execute-query.ts';

const KEYS = [
  ...Array.from({ length: 60 }, (_, at) => `k${at}`),
  ...['a', 'k', 'k5\u{1f600}', 'k5\uffee', 'k5\ufffd', 'z'],
].sort();

const REGIONS = {
  r: {
    entries: KEYS.map((key, at) => ({
      key,
      value: at % 9 === 0 ? 'null' : at % 10 === 0 ? '{"n":"text"}' : `{"n":${at % 5}}`,
    })),
  },
};

const NO_COLUMNS: ColumnSource = {
  isReadable: () => true,
  indexesOf: () => [],
  openTables: async () => undefined,
};

const KEY_CONDITIONS = [
  "KEY = 'k17'",
  "'k17' = KEY",
  'KEY = $1',
  'KEY = 17',
  'KEY = NULL',
  "KEY = 'k5\ud83d'",
  "KEY IN ('k3', 'none', 'k1', 'k1', 4)",
  "KEY IN SET('k5\ufffd', 'k5\ud800', 'a')",
  'KEY IN $2',
  "KEY > 'k55'",
  "KEY >= 'k5\0' AND KEY < 'k6'",
  "KEY = 'k5\0'",
  "KEY >= 'k55' AND KEY <= 'k5\u{1f600}'",
  "KEY BETWEEN 'k2' AND 'k3'",
  "KEY < 'k11'",
  "KEY > 'k5\ud83d' AND KEY < 'k6'",
  "KEY >= 'k9' AND KEY < 'k1'",
  "KEY LIKE 'k1%'",
  "KEY LIKE 'k_'",
  "KEY LIKE 'k17'",
  "KEY <> 'k17'",
  "NOT (KEY = 'k17')",
  "KEY = 'k17' OR KEY = 'k18'",
  'KEY > 17',
  "KEY = 'k17' AND KEY LIKE 'k2%'",
];

const FORMS = [
  'SELECT * FROM /r.entries e WHERE e.key',
  'SELECT e.key, e.value.n FROM /r.entrySet e WHERE e.getKey()',
  'SELECT COUNT(*) FROM /r.entries e WHERE e.value.n > 2 AND e.key',
  'SELECT e.key, e.value.n + 1 AS m FROM /r.entries e WHERE e.key',
  'SELECT DISTINCT e.value.n FROM /r.entries e WHERE e.value.n <> 3 AND e.key',
  'SELECT k FROM /r.keys k WHERE k',
  'SELECT e.key, (SELECT COUNT(*) FROM /r.keys x) AS c FROM /r.entries e WHERE e.key',
];

describe('queries for keys', () => {
  for (const form of FORMS) {
    it(`return the same as a full scan: ${form} …`, async () => {
      for (const condition of KEY_CONDITIONS) {
        const at = form.lastIndexOf(' ') + 1;
        const text = form.slice(0, at) + condition.replaceAll('KEY', form.slice(at));
        const { optimized, reference } = await runBoth(text);
        assert.deepEqual(optimized, reference, text);
      }
    });
  }

  const reads = [
    { text: "SELECT * FROM /r.entries e WHERE e.key = 'k17'", maxEntries: 0 },
    { text: "SELECT e.value FROM /r.entries e WHERE e.key IN ('k1', 'k17')", maxEntries: 0 },
    { text: "SELECT * FROM /r.entries e WHERE e.getKey() LIKE 'k58%'", maxEntries: 3 },
    { text: "SELECT * FROM /r.entries e WHERE e.key >= 'k30' AND e.key < 'k33'", maxEntries: 6 },
  ];
  for (const { text, maxEntries } of reads) {
    it(`scan at most ${maxEntries} entries: ${text}`, async () => {
      const { scanned } = await runBoth(text);
      assert.ok(scanned <= maxEntries, `${scanned} entries were scanned`);
    });
  }
});

describe('texts that cannot be keys', () => {
  for (const condition of ["= 'k\0'", "IN ('k\0', 'k\ud800')", "> 'k\0'", ">= 'k\ud800'"]) {
    it(`are not read from the store: ${JSON.stringify(condition)}`, async () => {
      const requestedKeys: (string | undefined)[] = [];
      const all = new MemorySource(REGIONS);
      const source: QuerySource = {
        findRegion: async (name) => {
          const region = await all.findRegion(name);
          if (region === undefined) return undefined;
          const entries: typeof region.entries = (after) => {
            requestedKeys.push(after);
            return region.entries(after);
          };
          const get: typeof region.get = (key) => {
            requestedKeys.push(key);
            return region.get(key);
          };
          return { ...region, entries, get };
        },
      };
      const text = `SELECT * FROM /r.entries e WHERE e.key ${condition}`;
      const query = bindQuery(parseQuery(text), createCatalog(REGIONS));
      const context = { parameters: [], now: () => 0, pause: async () => undefined };
      for await (const _ of executeQuery(query, { columns: NO_COLUMNS, source, context }));
      assert.deepEqual(requestedKeys, condition.includes('>') ? [undefined] : []);
    });
  }
});

async function runBoth(text: string): Promise<{
  readonly optimized: string;
  readonly reference: string;
  readonly scanned: number;
}> {
  const query = bindQuery(parseQuery(text), createCatalog(REGIONS));
  const parameters: Value[] = text.includes('$2') ? ['k17', ['k2', 'k40']] : ['k17'];
  const context = { parameters, now: () => 0, pause: async () => undefined };
  const source = new MemorySource(REGIONS);
  const optimized = await collect(async (rows) => {
    const pieces = executeQuery(query, { columns: NO_COLUMNS, source, context });
    for await (const { json } of pieces) rows.push(new TextDecoder().decode(json));
  });
  const reference = await collect(async (rows) => {
    const batches = executeReference(query, new MemorySource(REGIONS), context);
    for await (const batch of batches) rows.push(...batch.map((value) => printJson(value)));
  });
  assert.equal(source.readersOpen, 0, text);
  return { optimized, reference, scanned: source.entriesRead };
}

/** The rows, or the error with all its parts. */
async function collect(run: (rows: string[]) => Promise<void>): Promise<string> {
  const rows: string[] = [];
  try {
    await run(rows);
    return rows.join();
  } catch (error) {
    if (!(error instanceof OqlError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}
