// The writes that a commit needs to maintain unique indexes: records of the values that it adds,
// each guarded by the version that was read, and removals of records of values that it frees.

import type { Change, Engine, RegionWrite, StoredEntry, WriteGuard } from '../../engine/engine.ts';
import { printJson } from '../../value/json-print.ts';
import type { Value } from '../../value/value.ts';
import type { SameValue } from '../errors.ts';
import { unchangedGuard } from '../precondition.ts';
import { isReservedRegion } from '../region-rules.ts';
import { readEntries } from './read-entries.ts';
import { parseRecord, printRecord, recordKey, type UniqueRecord } from './unique-records.ts';
import type { UniqueParts, UniqueRule } from './unique-rules.ts';

/**
 * `together`: only the state after the commit counts, so two entries may swap their values.
 * `in-turn`: each change must be valid after the preceding ones.
 */
export type UniqueOrder = 'together' | 'in-turn';

/** A change that is refused because another entry has the value. */
export type Violation = Required<SameValue>;

export interface UniquePlan {
  /** The writes, each with the indexes that it maintains. */
  readonly writes: readonly RegionWrite[];
  /** Writes of records, to be committed after them. */
  readonly records: readonly RegionWrite[];
  readonly violations: readonly Violation[];
}

/** The unique indexes of the regions; synchronous if they are cached. */
export function findRules(
  { unique }: UniqueParts,
  writes: readonly RegionWrite[],
): readonly (readonly UniqueRule[])[] | Promise<readonly (readonly UniqueRule[])[]> {
  const found = writes.map(({ region }) => (isReservedRegion(region) ? [] : unique.find(region)));
  // Cached rules are not promises.
  return found.some((each) => each instanceof Promise)
    ? Promise.all(found)
    : (found as readonly (readonly UniqueRule[])[]);
}

export async function planUnique(
  parts: UniqueParts,
  writes: readonly RegionWrite[],
  rules: readonly (readonly UniqueRule[])[],
  order: UniqueOrder,
): Promise<UniquePlan> {
  const plans = await Promise.all(
    writes.map((write, i) => planRegion(parts.engine, write, rules[i] ?? [], order)),
  );
  return {
    writes: plans.flatMap(({ writes: own }) => own),
    records: plans.flatMap(({ records }) => records),
    violations: plans.flatMap(({ violations }) => violations),
  };
}

async function planRegion(
  engine: Engine,
  write: RegionWrite,
  rules: readonly UniqueRule[],
  order: UniqueOrder,
): Promise<UniquePlan> {
  if (rules.length === 0) return { writes: [write], records: [], violations: [] };
  const region = await engine.openRegion(write.region);
  const old = await readEntries(
    region,
    write.changes.map(({ key }) => key),
  );
  const parts = await Promise.all(rules.map((rule) => readPart(engine, rule, write.changes, old)));
  const holders = parts.flatMap(({ holders: own }) => own);
  const entries = await readEntries(region, holders);
  const { violations, taken } = findViolations(write, parts, entries, order);
  const unique = rules.map(({ records }) => records);
  return {
    writes: [{ ...write, unique }],
    records: parts.map((part, i) => toRecords(part, taken[i] ?? new Map())),
    violations,
  };
}

/** The part of a write that concerns one index. */
interface IndexPart {
  readonly rule: UniqueRule;
  /** By index of the change: the record of the value that it adds. */
  readonly wanted: readonly (string | undefined)[];
  /** Records of previous values of the changed entries. */
  readonly freed: ReadonlyMap<string, string>;
  readonly records: ReadonlyMap<string, UniqueRecord>;
  /** Keys of entries that may have values that the changes add. */
  readonly holders: readonly string[];
}

async function readPart(
  engine: Engine,
  rule: UniqueRule,
  changes: readonly Change[],
  old: ReadonlyMap<string, StoredEntry>,
): Promise<IndexPart> {
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

/** Finds the changes whose value another entry has. */
function findViolations(
  { changes, region }: RegionWrite,
  parts: readonly IndexPart[],
  entries: ReadonlyMap<string, StoredEntry>,
  order: UniqueOrder,
): { readonly violations: readonly Violation[]; readonly taken: readonly Map<string, string>[] } {
  const taken = parts.map(() => new Map<string, string>());
  const violations: Violation[] = [];
  // An expired entry holds its value until it is removed.
  const moved = new Set(
    order === 'together' ? changes.flatMap(({ key, kind }) => (kind === 'expire' ? [] : key)) : [],
  );
  const findHolder = ({ records, wanted }: IndexPart, i: number, own: string, nth: number) => {
    const key = wanted[i];
    if (key === undefined) return undefined;
    const other = taken[nth]?.get(key);
    if (other !== undefined) return other;
    const record = records.get(key);
    if (record === undefined || record.key === own || moved.has(record.key)) return undefined;
    return entries.get(record.key)?.version === record.version ? record.key : undefined;
  };
  for (const [i, change] of changes.entries()) {
    const { key } = change;
    const conflicts = parts.flatMap((part, nth): Violation[] => {
      const holder = findHolder(part, i, key, nth);
      if (holder === undefined) return [];
      return [{ region, index: part.rule.name, key, holder, value: printValue(part, change) }];
    });
    violations.push(...conflicts.slice(0, 1));
    if (conflicts.length > 0) continue;
    moved.add(key);
    for (const [nth, { wanted }] of parts.entries()) {
      const record = wanted[i];
      if (record !== undefined) taken[nth]?.set(record, key);
    }
  }
  return { violations, taken };
}

function printValue({ rule }: IndexPart, change: Change): string {
  const values = change.kind === 'put' ? rule.valuesOf(change.key, change.value) : undefined;
  return printValues(values ?? []);
}

/** As JSON, several in a list. */
export function printValues(values: readonly Value[]): string {
  const texts = values.map((value) => printJson(value));
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join()}]`;
}

function toRecords(
  { freed, records, rule }: IndexPart,
  taken: ReadonlyMap<string, string>,
): RegionWrite {
  const changes: Change[] = [];
  const guards: WriteGuard[] = [];
  for (const [record, key] of taken) {
    changes.push({ kind: 'put', key: record, value: printRecord(key) });
    guards.push(unchangedGuard(record, records.get(record)?.recordVersion));
  }
  for (const [record, key] of freed) {
    const found = records.get(record);
    if (found?.key !== key || taken.has(record)) continue;
    changes.push({ kind: 'expire', key: record, version: found.recordVersion });
  }
  return { region: rule.records, changes, guards };
}
