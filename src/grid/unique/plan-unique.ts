// The writes that a commit needs to maintain unique indexes: records of the values that it takes,
// each guarded by the version that was read, and removals of those that it frees.

import type { Change, Engine, RegionWrite, StoredEntry, WriteGuard } from '../../engine/engine.ts';
import { printJson } from '../../value/json-print.ts';
import type { Value } from '../../value/value.ts';
import { isReservedRegion } from '../region-rules.ts';
import { readEntries } from './read-entries.ts';
import {
  parseRecord,
  printRecord,
  recordGuard,
  recordKey,
  type UniqueRecord,
} from './unique-records.ts';
import type { UniqueRule, UniqueRules } from './unique-rules.ts';

/**
 * `together`: what counts is how entries are after the commit, so that two may swap their values.
 * `in-turn`: each change must be right after those before it.
 */
export type UniqueOrder = 'together' | 'in-turn';

/** A change that is not done because another entry has the value. */
export interface Violation {
  readonly region: string;
  readonly index: string;
  /** Of the entry that was to be written. */
  readonly key: string;
  /** The key of the entry that has the value. */
  readonly holder: string;
  /** As JSON, several in a list. */
  readonly value: string;
}

export interface UniquePlan {
  /** The writes, each with the indexes it keeps to. */
  readonly writes: readonly RegionWrite[];
  /** To be committed after them. */
  readonly records: readonly RegionWrite[];
  readonly violations: readonly Violation[];
}

interface PlanParts {
  readonly engine: Engine;
  readonly unique: UniqueRules;
}

/** Whether any of the regions has a unique index; at once where that is known. */
export function findRules(
  { unique }: PlanParts,
  writes: readonly RegionWrite[],
): readonly (readonly UniqueRule[])[] | Promise<readonly (readonly UniqueRule[])[]> {
  const found = writes.map(({ region }) => (isReservedRegion(region) ? [] : unique.find(region)));
  // All that is known is no promise.
  return found.some((each) => each instanceof Promise)
    ? Promise.all(found)
    : (found as readonly (readonly UniqueRule[])[]);
}

export async function planUnique(
  parts: PlanParts,
  writes: readonly RegionWrite[],
  rules: readonly (readonly UniqueRule[])[],
  order: UniqueOrder,
): Promise<UniquePlan> {
  const plans = await Promise.all(
    writes.map((write, i) => planRegion(parts.engine, write, rules[i] ?? [], order)),
  );
  return {
    writes: plans.map(({ write }) => write),
    records: plans.flatMap(({ records }) => records),
    violations: plans.flatMap(({ violations }) => violations),
  };
}

interface RegionPlan {
  readonly write: RegionWrite;
  readonly records: readonly RegionWrite[];
  readonly violations: readonly Violation[];
}

async function planRegion(
  engine: Engine,
  write: RegionWrite,
  rules: readonly UniqueRule[],
  order: UniqueOrder,
): Promise<RegionPlan> {
  if (rules.length === 0) return { write, records: [], violations: [] };
  const region = await engine.openRegion(write.region);
  const old = await readEntries(
    region,
    write.changes.map(({ key }) => key),
  );
  const sights = await Promise.all(rules.map((rule) => look(engine, rule, write.changes, old)));
  const holders = sights.flatMap(({ holders: own }) => own);
  const entries = await readEntries(region, holders);
  const { violations, taken } = findViolations(write, sights, entries, order);
  const unique = rules.map(({ records }) => records);
  return {
    write: { ...write, unique },
    records: sights.map((sight, i) => toRecords(sight, taken[i] ?? new Map())),
    violations,
  };
}

/** The part of a write that concerns one index. */
interface Sight {
  readonly rule: UniqueRule;
  /** By place of the change: the record of the value it takes. */
  readonly wanted: readonly (string | undefined)[];
  /** Records of values that changed entries have had. */
  readonly freed: ReadonlyMap<string, string>;
  readonly records: ReadonlyMap<string, UniqueRecord>;
  /** Keys of entries that may have values that others are to take. */
  readonly holders: readonly string[];
}

async function look(
  engine: Engine,
  rule: UniqueRule,
  changes: readonly Change[],
  old: ReadonlyMap<string, StoredEntry>,
): Promise<Sight> {
  const toRecordKey = async (
    key: string,
    value: string | undefined,
  ): Promise<string | undefined> => {
    const values = value === undefined ? undefined : rule.valuesOf(key, value);
    return values && recordKey(values);
  };
  const wanted: (string | undefined)[] = [];
  const freed = new Map<string, string>();
  for (const change of changes) {
    const { key } = change;
    wanted.push(await toRecordKey(key, change.kind === 'put' ? change.value : undefined));
    const before = await toRecordKey(key, old.get(key)?.value);
    if (before !== undefined) freed.set(before, key);
  }
  const keys = [...wanted.filter((key) => key !== undefined), ...freed.keys()];
  const found = await readEntries(await engine.openRegion(rule.records), keys);
  const records = new Map([...found].map(([key, entry]) => [key, parseRecord(entry)]));
  const holders = wanted.flatMap((key, i) => {
    const record = key === undefined ? undefined : records.get(key);
    return record === undefined || record.key === changes[i]?.key ? [] : [record.key];
  });
  return { rule, wanted, freed, records, holders };
}

/** For each index the keys that take a value, by record; or the conflict. */
function findViolations(
  { changes, region }: RegionWrite,
  sights: readonly Sight[],
  entries: ReadonlyMap<string, StoredEntry>,
  order: UniqueOrder,
): { readonly violations: readonly Violation[]; readonly taken: readonly Map<string, string>[] } {
  const taken = sights.map(() => new Map<string, string>());
  const violations: Violation[] = [];
  // An entry that expires keeps its value until it is known to be gone.
  const moved = new Set(
    order === 'together' ? changes.flatMap(({ key, kind }) => (kind === 'expire' ? [] : key)) : [],
  );
  const findHolder = ({ records, wanted }: Sight, place: number, own: string, nth: number) => {
    const key = wanted[place];
    if (key === undefined) return undefined;
    const other = taken[nth]?.get(key);
    if (other !== undefined) return other;
    const record = records.get(key);
    if (record === undefined || record.key === own || moved.has(record.key)) return undefined;
    return entries.get(record.key)?.version === record.version ? record.key : undefined;
  };
  for (const [place, change] of changes.entries()) {
    const { key } = change;
    const against = sights.flatMap((sight, nth): Violation[] => {
      const holder = findHolder(sight, place, key, nth);
      if (holder === undefined) return [];
      return [{ region, index: sight.rule.name, key, holder, value: printValue(sight, change) }];
    });
    violations.push(...against.slice(0, 1));
    if (against.length > 0) continue;
    moved.add(key);
    for (const [nth, { wanted }] of sights.entries()) {
      const record = wanted[place];
      if (record !== undefined) taken[nth]?.set(record, key);
    }
  }
  return { violations, taken };
}

function printValue({ rule }: Sight, change: Change): string {
  const values = change.kind === 'put' ? rule.valuesOf(change.key, change.value) : undefined;
  return printValues(values ?? []);
}

/** As JSON, several in a list. */
export function printValues(values: readonly Value[]): string {
  const texts = values.map((value) => printJson(value));
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join()}]`;
}

function toRecords(
  { freed, records, rule }: Sight,
  taken: ReadonlyMap<string, string>,
): RegionWrite {
  const changes: Change[] = [];
  const guards: WriteGuard[] = [];
  for (const [record, key] of taken) {
    const found = records.get(record);
    changes.push({ kind: 'put', key: record, value: printRecord(key) });
    guards.push(recordGuard(record, found));
  }
  for (const [record, key] of freed) {
    const found = records.get(record);
    if (found?.key !== key || taken.has(record)) continue;
    changes.push({ kind: 'expire', key: record, version: found.recordVersion });
  }
  return { region: rule.records, changes, guards };
}
