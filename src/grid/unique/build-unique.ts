// Builds the records of entries that are older than their unique index. The definition comes first:
// from then on every write maintains the index, and the older entries are read once. Several
// servers may build at once, and a build starts again after a crash.

import type {
  Change,
  Engine,
  Region,
  RegionWrite,
  StoredEntry,
  WriteGuard,
} from '../../engine/engine.ts';
import type { Value } from '../../value/value.ts';
import { indexNotFound } from '../errors.ts';
import { unchangedGuard } from '../precondition.ts';
import { reservedRegion } from '../region-rules.ts';
import { cannotBeUnique } from './errors.ts';
import { keyPages } from './key-pages.ts';
import { printValues } from './plan-unique.ts';
import { readEntries } from './read-entries.ts';
import {
  parseRecord,
  printRecord,
  READY_KEY,
  recordKey,
  type UniqueRecord,
} from './unique-records.ts';
import type { UniqueRule } from './unique-rules.ts';

export interface BuildParts {
  readonly engine: Engine;
  /** Yields to other requests. */
  readonly pause: () => Promise<void>;
}

/**
 * Makes the records of all entries. Throws `grid/not-unique` when two have the same value, and
 * `grid/index-not-found` when the index is dropped meanwhile.
 */
export async function buildUnique({ engine, pause }: BuildParts, rule: UniqueRule): Promise<void> {
  await engine.createRegion(reservedRegion(rule.records));
  for await (const keys of keyPages(engine, rule.region)) {
    await recordBatch(engine, rule, keys);
    await pause();
  }
  const ready = { kind: 'put', key: READY_KEY, value: '{}' } as const;
  await commit(engine, rule, [{ region: rule.records, changes: [ready] }]);
}

/** Whether all entries have their records. */
export async function isBuilt(engine: Engine, { records }: UniqueRule): Promise<boolean> {
  const found = await readEntries(await engine.openRegion(records), [READY_KEY]);
  return found.has(READY_KEY);
}

interface Recorded {
  readonly key: string;
  readonly entry: StoredEntry;
  readonly values: readonly Value[];
  readonly record: string;
}

/** Retries if an entry changes meanwhile. */
async function recordBatch(
  engine: Engine,
  rule: UniqueRule,
  keys: readonly string[],
): Promise<void> {
  for (;;) {
    const region = await engine.openRegion(rule.region);
    const records = await engine.openRegion(rule.records);
    if (region === undefined || records === undefined) throw gone(rule);
    const entries = await readRecorded(region, rule, keys);
    const known = await readRecords(records, entries);
    const taken = new Map<string, Recorded>();
    let mustRetry = false;
    for (const each of entries) {
      const holder = await findHolder(region, each, taken, known);
      if (holder === undefined) taken.set(each.record, each);
      else if (holder.key !== each.key) {
        await requireChanged(engine, rule, each, holder);
        mustRetry = true;
      }
    }
    const isDone = await commit(engine, rule, toWrites(rule, [...taken.values()], known));
    if (isDone && !mustRetry) return;
  }
}

async function readRecorded(
  region: Region,
  rule: UniqueRule,
  keys: readonly string[],
): Promise<readonly Recorded[]> {
  const recorded: Recorded[] = [];
  for (const [key, entry] of await readEntries(region, keys)) {
    const values = rule.valuesOf(key, entry.value);
    if (values !== undefined) {
      recorded.push({ key, entry, values, record: await recordKey(values) });
    }
  }
  return recorded;
}

async function readRecords(
  records: Region,
  entries: readonly Recorded[],
): Promise<ReadonlyMap<string, UniqueRecord>> {
  const found = await readEntries(
    records,
    entries.map(({ record }) => record),
  );
  return new Map([...found].map(([key, entry]) => [key, parseRecord(entry)]));
}

/** The entry that has the value already, with its version; it may be the same entry. */
async function findHolder(
  region: Region,
  { entry, key, record }: Recorded,
  taken: ReadonlyMap<string, Recorded>,
  known: ReadonlyMap<string, UniqueRecord>,
): Promise<{ readonly key: string; readonly version: number } | undefined> {
  const other = taken.get(record);
  if (other !== undefined) return { key: other.key, version: other.entry.version };
  const found = known.get(record);
  if (found === undefined) return undefined;
  if (found.key === key) return found.version === entry.version ? found : undefined;
  const [holder] = await region.read([found.key]);
  return holder?.version === found.version ? found : undefined;
}

/** Throws `grid/not-unique` when both entries are unchanged, in one snapshot. */
async function requireChanged(
  engine: Engine,
  rule: UniqueRule,
  { entry, key, values }: Recorded,
  holder: { readonly key: string; readonly version: number },
): Promise<void> {
  const guards: readonly WriteGuard[] = [
    { kind: 'version-is', key, versions: [entry.version] },
    { kind: 'version-is', key: holder.key, versions: [holder.version] },
  ];
  const outcome = await engine.commit([{ region: rule.region, changes: [], guards }]);
  if (outcome.kind !== 'committed') return;
  const { name: index, region } = rule;
  throw cannotBeUnique({ region, index, key, holder: holder.key, value: printValues(values) });
}

/** Records of entries that are unchanged since they were read. */
function toWrites(
  { records: name, region }: UniqueRule,
  entries: readonly Recorded[],
  known: ReadonlyMap<string, UniqueRecord>,
): readonly RegionWrite[] {
  const unchanged = entries.map(({ entry, key }): WriteGuard => {
    return { kind: 'version-is', key, versions: [entry.version] };
  });
  const changes = entries.map(({ entry, key, record }): Change => {
    return { kind: 'put', key: record, value: printRecord(key, entry.version) };
  });
  const guards = entries.map(({ record }) =>
    unchangedGuard(record, known.get(record)?.recordVersion),
  );
  return [
    { region, changes: [], guards: unchanged },
    { region: name, changes, guards },
  ];
}

async function commit(
  engine: Engine,
  rule: UniqueRule,
  writes: readonly RegionWrite[],
): Promise<boolean> {
  const outcome = await engine.commit(writes);
  if (outcome.kind === 'region-missing') throw gone(rule);
  return outcome.kind === 'committed';
}

function gone({ name, region }: UniqueRule): Error {
  return indexNotFound(region, name, []);
}
