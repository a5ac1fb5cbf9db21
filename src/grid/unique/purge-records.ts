// Removes stale records of entries that a clear removed. Stale records are harmless, so this runs
// in the background in small commits.

import type { Engine } from '../../engine/engine.ts';
import { keyPages } from './key-pages.ts';
import { readEntries } from './read-entries.ts';
import { parseRecord, READY_KEY } from './unique-records.ts';
import type { UniqueRule } from './unique-rules.ts';

export async function purgeRecords(
  engine: Engine,
  rule: UniqueRule,
  pause: () => Promise<void>,
): Promise<void> {
  for await (const keys of keyPages(engine, rule.records)) {
    await purgePage(engine, rule, keys);
    await pause();
  }
}

async function purgePage(
  engine: Engine,
  { records: recordsRegion, region }: UniqueRule,
  keys: readonly string[],
): Promise<void> {
  const wanted = keys.filter((key) => key !== READY_KEY);
  const found = await readEntries(await engine.openRegion(recordsRegion), wanted);
  const records = [...found].map(([recordKey, entry]) => ({ recordKey, ...parseRecord(entry) }));
  const entries = await readEntries(
    await engine.openRegion(region),
    records.map(({ key }) => key),
  );
  // A stale record stays stale: a valid one has another version.
  const changes = records
    .filter(({ key, version }) => entries.get(key)?.version !== version)
    .map(({ recordKey, recordVersion }) => {
      return { kind: 'expire', key: recordKey, version: recordVersion } as const;
    });
  if (changes.length > 0) await engine.commit([{ region: recordsRegion, changes }]);
}
