// Compares the counters of a store with its contents: counts, versions, the change log. PostgreSQL
// itself checks pages and checksums (`data_checksums`, `amcheck`).

import type { Client } from 'pg';
import { printAmount } from '../../value/print-amount.ts';
import type { StoreReport } from '../store-report.ts';
import type { StoreOptions } from './connector.ts';
import { readStoreBytes } from './housekeeping.ts';
import { loadState } from './load-state.ts';
import { queryRows } from './query-rows.ts';
import { useStore } from './use-store.ts';

const SHOWN_PROBLEMS = 50;

/** Reads one snapshot; works while servers run. */
export function checkStore(options: StoreOptions): Promise<StoreReport> {
  return useStore(options, ({ client, shownAddress }) => check(client, shownAddress));
}

async function check(client: Client, file: string): Promise<StoreReport> {
  const problems: string[] = [];
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const state = await loadState(client, 'in-transaction');
  const counted = await queryRows(client, {
    text: `SELECT r.name, count(e.key), coalesce(sum(octet_length(e.value)), 0), max(e.version)
           FROM regions r LEFT JOIN entries e ON e.region = r.data_id GROUP BY r.name ORDER BY r.name`,
  });
  const regions = counted.map(([name = '', entries, bytes, latest]) => {
    const stated = state.find(name ?? '');
    const before = problems.length;
    if (Number(entries) !== stated?.entryCount || Number(bytes) !== stated.valueBytes) {
      problems.push(
        `region (${name}) has ${printAmount(Number(entries), 'entry', 'entries')} of ${bytes} bytes, but states ${stated?.entryCount} of ${stated?.valueBytes}`,
      );
    }
    if (Number(latest ?? 0) > state.sequence) {
      problems.push(
        `region (${name}) has an entry of commit ${latest}, but the store ends with commit ${state.sequence}`,
      );
    }
    const type = stated?.definition.type ?? '';
    const problemCount = problems.length - before;
    const sizes = { entryCount: Number(entries), valueBytes: Number(bytes) };
    return { name: name ?? '', type, ...sizes, problemCount };
  });
  const [log] = await queryRows(client, {
    text: 'SELECT min(sequence), count(DISTINCT sequence), coalesce(sum(cardinality(keys)), 0) FROM changes',
  });
  const [first, commits, changes] = (log ?? []).map(Number);
  const expected = state.sequence - (first ?? 0) + 1;
  if (state.sequence > 0 && commits !== expected) {
    problems.push(`the log has ${commits} of ${printAmount(expected, 'commit')}`);
  }
  const [stray] = await queryRows(client, {
    text: `SELECT count(*) FROM (SELECT DISTINCT region FROM entries) e
           WHERE NOT EXISTS (SELECT FROM regions r WHERE r.data_id = e.region)
             AND NOT EXISTS (SELECT FROM garbage g WHERE g.data_id = e.region)`,
  });
  if (Number(stray?.[0]) > 0) problems.push('there are entries that belong to no region');
  const fileBytes = await readStoreBytes(client);
  await client.query('COMMIT');
  return {
    file,
    fileBytes,
    sequence: state.sequence,
    regions,
    changeCount: changes ?? 0,
    count: problems.length,
    shown: problems.slice(0, SHOWN_PROBLEMS),
  };
}
