// Completes changes of the log from the history of their regions: the value of a put that was
// overwritten since, and the state of the entry before a change. One implementation for all
// engines, over a snapshot that is at least as late as the changes.

import type { Engine, RecordedChange, Snapshot, StoredEntry } from './engine.ts';
import { type PastOperation, printChange, stateKey } from './history-records.ts';
import { RegionHistory } from './region-history.ts';

/** The state of an entry before a change; `gone` when the region does not keep it. */
export type StateBefore =
  | { readonly kind: 'present'; readonly value: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'gone' };

export interface CompletedChange extends RecordedChange {
  /** Where it was asked for and the change concerns an entry. */
  readonly before?: StateBefore;
}

export interface PastWanted {
  /** Whether a put without its value is completed. */
  readonly values: boolean;
  /** Whether the state before a change of an entry is read. */
  readonly before: (change: RecordedChange) => boolean;
  /** The answer ends behind the commit with which its values reach so many bytes. */
  readonly maxBytes: number;
  /** Milliseconds since 1970: what is older than a region keeps is gone. */
  readonly nowMs: number;
}

export interface CompletedChanges {
  /** Whole commits, as many as the bytes allow and at least one. */
  readonly changes: readonly CompletedChange[];
  /** Whether changes behind these were left out. */
  readonly isCut: boolean;
}

/** Read at once of the records of one region. */
const BATCH_BYTES = 256 * 1024;

type EntryChange = RecordedChange & { readonly key: string; readonly kind: PastOperation };

/** Changes of one engine, as `readChanges` gave them. Nothing is read where nothing is missing. */
export async function completeChanges(
  engine: Engine,
  changes: readonly RecordedChange[],
  wanted: PastWanted,
): Promise<CompletedChanges> {
  const regions = new Set(
    changes
      .filter((change) => lacksValue(change, wanted) || lacksBefore(change, wanted))
      .map(({ region }) => region),
  );
  if (regions.size === 0) return { changes, isCut: false };
  const ages = await findAges(engine, regions);
  if (ages.size === 0) return addStates(changes, new Map(), wanted);
  const snapshot = await engine.openSnapshot();
  try {
    const pasts = new Map<string, RegionPast>();
    for (const [region, ageMs] of ages) {
      const own = changes.filter((change) => change.region === region);
      const sinceMs = ageMs === null ? undefined : wanted.nowMs - ageMs;
      const past = await openPast(snapshot, own, { ...wanted, region, sinceMs });
      if (past !== undefined) pasts.set(region, past);
    }
    return await addStates(changes, pasts, wanted);
  } finally {
    snapshot.close();
  }
}

/** Of the regions those that keep history, and for how long. */
async function findAges(
  engine: Engine,
  regions: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number | null>> {
  const ages = new Map<string, number | null>();
  for (const name of regions) {
    const history = (await engine.openRegion(name))?.definition.history;
    if (history !== undefined) ages.set(name, history.ageMs);
  }
  return ages;
}

/** The records that complete the changes of one region, read in the order of the changes. */
interface RegionPast {
  /** Records of commits up to this one are gone. */
  readonly gone: number;
  readonly valueKeys: ReadonlyMap<RecordedChange, string>;
  readonly records: RecordBatches;
}

async function openPast(
  snapshot: Snapshot,
  changes: readonly RecordedChange[],
  wanted: PastWanted & { readonly region: string; readonly sinceMs: number | undefined },
): Promise<RegionPast | undefined> {
  const history = await RegionHistory.open(snapshot, wanted.region);
  if (history === undefined) return undefined;
  const gone = await history.findGone(wanted.sinceMs);
  const valueKeys = new Map<RecordedChange, string>();
  const stored: string[] = [];
  for (const change of changes) {
    if (lacksValue(change, wanted)) {
      const next = await history.findRecord(change.key, change.sequence);
      if (next?.wasPresent === true && next.sequence > gone) {
        valueKeys.set(change, next.stored);
        stored.push(next.stored);
      }
    }
    if (lacksBefore(change, wanted) && change.sequence > gone) stored.push(keyBefore(change));
  }
  const read = (keys: readonly string[]): Promise<readonly (StoredEntry | undefined)[]> =>
    history.readRecords(keys, BATCH_BYTES);
  return { gone, valueKeys, records: new RecordBatches(stored, read) };
}

async function addStates(
  changes: readonly RecordedChange[],
  pasts: ReadonlyMap<string, RegionPast>,
  wanted: PastWanted,
): Promise<CompletedChanges> {
  const completed: CompletedChange[] = [];
  let bytes = 0;
  for (const change of changes) {
    const last = completed.at(-1)?.sequence;
    if (bytes >= wanted.maxBytes && last !== undefined && last !== change.sequence) {
      return { changes: completed, isCut: true };
    }
    const past = pasts.get(change.region);
    const value = change.value ?? (past && (await findValue(change, past)));
    const before = lacksBefore(change, wanted) ? await findBefore(change, past) : undefined;
    bytes += (value?.length ?? 0) + (before?.kind === 'present' ? before.value.length : 0);
    completed.push({
      ...change,
      ...(value === undefined ? {} : { value }),
      ...(before === undefined ? {} : { before }),
    });
  }
  return { changes: completed, isCut: false };
}

/** The state before the next change of the key, if that is what this change put. */
async function findValue(change: RecordedChange, past: RegionPast): Promise<string | undefined> {
  const stored = past.valueKeys.get(change);
  if (stored === undefined) return undefined;
  const entry = await past.records.take(stored);
  // Changes between may be gone, and the entry may be that of an earlier region of the name.
  return entry?.version === change.sequence ? entry.value : undefined;
}

async function findBefore(change: EntryChange, past: RegionPast | undefined): Promise<StateBefore> {
  if (past === undefined || change.sequence <= past.gone) return { kind: 'gone' };
  const entry = await past.records.take(keyBefore(change));
  // Every later change has a record, and this one is not of an entry that was there.
  return entry === undefined ? { kind: 'absent' } : { kind: 'present', value: entry.value };
}

/** The key of the record that a change has where there was an entry before. */
function keyBefore({ key, kind, sequence }: EntryChange): string {
  return stateKey(sequence, printChange(kind, key, 'present'));
}

function lacksValue(
  change: RecordedChange,
  { values }: Pick<PastWanted, 'values'>,
): change is EntryChange {
  return values && change.kind === 'put' && change.key !== null && change.value === undefined;
}

function lacksBefore(
  change: RecordedChange,
  { before }: Pick<PastWanted, 'before'>,
): change is EntryChange {
  const { key, kind } = change;
  const isOfEntry = key !== null && (kind === 'put' || kind === 'remove' || kind === 'expire');
  return isOfEntry && before(change);
}

/** Records taken one by one in a fixed order, and read in batches of bounded bytes. */
class RecordBatches {
  readonly #keys: readonly string[];
  readonly #read: (keys: readonly string[]) => Promise<readonly (StoredEntry | undefined)[]>;
  #batch: readonly (StoredEntry | undefined)[] = [];
  /** Places in `#keys` of the first record of the batch, and of the next one to take. */
  #start = 0;
  #next = 0;

  constructor(
    keys: readonly string[],
    read: (keys: readonly string[]) => Promise<readonly (StoredEntry | undefined)[]>,
  ) {
    this.#keys = keys;
    this.#read = read;
  }

  /** The next record, which must be the one with this key. */
  async take(key: string): Promise<StoredEntry | undefined> {
    if (this.#keys[this.#next] !== key) throw new Error('Records are taken in another order');
    if (this.#next >= this.#start + this.#batch.length) {
      this.#start = this.#next;
      this.#batch = await this.#read(this.#keys.slice(this.#next));
    }
    const entry = this.#batch[this.#next - this.#start];
    this.#next += 1;
    return entry;
  }
}
