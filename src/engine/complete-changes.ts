// Completes changes of the log from the history of their regions: the value of a put that was
// overwritten since, and the state of the entry before a change. One implementation for all
// engines, over a snapshot that is at least as late as the changes.

import type { Engine, RecordedChange, Snapshot, StoredEntry } from './engine.ts';
import { type HistoryOperation, printChange, stateKey } from './history-records.ts';
import { type KeptState, RegionHistory } from './region-history.ts';

/** The state of an entry before a change; `gone` when the region does not keep it. */
export type StateBefore =
  | { readonly kind: 'present'; readonly value: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'gone' };

export interface CompletedChange extends RecordedChange {
  /** Present if it was requested and the change concerns an entry. */
  readonly before?: StateBefore;
}

export interface CompletionWanted {
  /** Whether a put without its value is completed. */
  readonly values: boolean;
  /** Whether the state before a change of an entry is read. */
  readonly before: (change: RecordedChange) => boolean;
  /** The answer ends after the commit with which its values reach this many bytes. */
  readonly maxBytes: number;
  /** Milliseconds since 1970; anything older than a region keeps is gone. */
  readonly nowMs: number;
}

export interface CompletedChanges {
  /** Whole commits, as many as the bytes allow and at least one. */
  readonly changes: readonly CompletedChange[];
  /** Whether later changes were omitted. */
  readonly isCut: boolean;
}

/** Bytes of records of one region that one read returns. */
const BATCH_BYTES = 256 * 1024;

type RecordedEntryChange = RecordedChange & {
  readonly key: string;
  readonly kind: HistoryOperation;
};

/** Completes changes that `readChanges` returned. Reads nothing if nothing is missing. */
export async function completeChanges(
  engine: Engine,
  changes: readonly RecordedChange[],
  wanted: CompletionWanted,
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
    const states = new Map<string, EarlierStates>();
    for (const [region, ageMs] of ages) {
      const own = changes.filter((change) => change.region === region);
      const sinceMs = ageMs === null ? undefined : wanted.nowMs - ageMs;
      const opened = await openRegionStates(snapshot, own, { ...wanted, region, sinceMs });
      if (opened !== undefined) states.set(region, opened);
    }
    return await addStates(changes, states, wanted);
  } finally {
    snapshot.close();
  }
}

/** The regions with history, and its bounds. */
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

/** Earlier states of one region, read in the order of its changes. */
interface EarlierStates {
  /** Records of commits up to this one are gone. */
  readonly goneThrough: number;
  /** For each put without its value the next change of its key. */
  readonly next: BatchedLookups<RecordedEntryChange, KeptState>;
  /** Records of changes where there was an entry before, by their keys. */
  readonly before: BatchedLookups<string, StoredEntry>;
}

async function openRegionStates(
  snapshot: Snapshot,
  changes: readonly RecordedChange[],
  wanted: CompletionWanted & { readonly region: string; readonly sinceMs: number | undefined },
): Promise<EarlierStates | undefined> {
  const history = await RegionHistory.open(snapshot, wanted.region);
  if (history === undefined) return undefined;
  const goneThrough = await history.findGoneThrough(wanted.sinceMs);
  const puts = changes.filter((change) => lacksValue(change, wanted));
  const before = changes
    .filter((change) => lacksBefore(change, wanted))
    .filter(({ sequence }) => sequence > goneThrough);
  return {
    goneThrough,
    next: new BatchedLookups(puts, (some) => history.findRecords(some, BATCH_BYTES)),
    before: new BatchedLookups(before.map(keyBefore), (some) =>
      history.readRecords(some, BATCH_BYTES),
    ),
  };
}

async function addStates(
  changes: readonly RecordedChange[],
  states: ReadonlyMap<string, EarlierStates>,
  wanted: CompletionWanted,
): Promise<CompletedChanges> {
  const completed: CompletedChange[] = [];
  let bytes = 0;
  for (const change of changes) {
    const last = completed.at(-1)?.sequence;
    if (bytes >= wanted.maxBytes && last !== undefined && last !== change.sequence) {
      return { changes: completed, isCut: true };
    }
    const whole = await addState(change, states.get(change.region), wanted);
    const { before, value } = whole;
    bytes += (value?.length ?? 0) + (before?.kind === 'present' ? before.value.length : 0);
    completed.push(whole);
  }
  return { changes: completed, isCut: false };
}

async function addState(
  change: RecordedChange,
  states: EarlierStates | undefined,
  wanted: CompletionWanted,
): Promise<CompletedChange> {
  const isValueMissing = states !== undefined && lacksValue(change, wanted);
  const value = isValueMissing ? await findValue(change, states) : undefined;
  const completed = value === undefined ? change : { ...change, value };
  return lacksBefore(change, wanted)
    ? { ...completed, before: await findBefore(change, states) }
    : completed;
}

/** The state before the next change of the key, if that is what this change put. */
async function findValue(
  change: RecordedEntryChange,
  { goneThrough, next }: EarlierStates,
): Promise<string | undefined> {
  const state = await next.take(change);
  if (state === undefined || state.sequence <= goneThrough) return undefined;
  // Changes between may be gone, and the entry may be that of an earlier region of the name.
  return state.entry?.version === change.sequence ? state.entry.value : undefined;
}

async function findBefore(
  change: RecordedEntryChange,
  states: EarlierStates | undefined,
): Promise<StateBefore> {
  if (states === undefined || change.sequence <= states.goneThrough) return { kind: 'gone' };
  const entry = await states.before.take(keyBefore(change));
  // Every later change has a record, and this one is of an entry that did not exist.
  return entry === undefined ? { kind: 'absent' } : { kind: 'present', value: entry.value };
}

/** The key of the record that a change has where there was an entry before. */
function keyBefore({ key, kind, sequence }: RecordedEntryChange): string {
  return stateKey(sequence, printChange(kind, key, 'present'));
}

function lacksValue(
  change: RecordedChange,
  { values }: Pick<CompletionWanted, 'values'>,
): change is RecordedEntryChange {
  return values && change.kind === 'put' && change.key !== null && change.value === undefined;
}

function lacksBefore(
  change: RecordedChange,
  { before }: Pick<CompletionWanted, 'before'>,
): change is RecordedEntryChange {
  const { key, kind } = change;
  const isOfEntry = key !== null && (kind === 'put' || kind === 'remove' || kind === 'expire');
  return isOfEntry && before(change);
}

/** Looks up a list of keys in batches, and returns what was found one by one, in order. */
class BatchedLookups<Key, Found> {
  readonly #keys: readonly Key[];
  readonly #read: (some: readonly Key[]) => Promise<readonly (Found | undefined)[]>;
  #batch: readonly (Found | undefined)[] = [];
  /** Positions among the keys: of the first one of the batch, and of the next one to return. */
  #start = 0;
  #next = 0;

  /** `read` looks up the first keys of its argument, at least one. */
  constructor(
    keys: readonly Key[],
    read: (some: readonly Key[]) => Promise<readonly (Found | undefined)[]>,
  ) {
    this.#keys = keys;
    this.#read = read;
  }

  /** What was found for the next key. Keys must be taken in the order of the list. */
  async take(key: Key): Promise<Found | undefined> {
    if (this.#keys[this.#next] !== key) throw new Error('Taken in another order');
    if (this.#next >= this.#start + this.#batch.length) {
      this.#start = this.#next;
      this.#batch = await this.#read(this.#keys.slice(this.#next));
    }
    const found = this.#batch[this.#next - this.#start];
    this.#next += 1;
    return found;
  }
}
