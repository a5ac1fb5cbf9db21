// Reads the history of one region through a snapshot.

import type { KeyRange, Snapshot, StoredEntry } from './engine.ts';
import {
  afterParts,
  afterState,
  beforeState,
  type CommitPart,
  type HistoryMeta,
  type HistoryOperation,
  historyRegion,
  META_KEY,
  parseMeta,
  parsePart,
  parsePartKey,
  parseStateKey,
  partKey,
  type StateRecord,
  toStateRange,
} from './history-records.ts';
import { toTexts } from './joined-texts.ts';

/** The state of a key before the first change after some commit. */
export interface KeyedState {
  readonly key: string;
  /** Undefined when there was no entry. */
  readonly value: string | undefined;
}

/** One change of an entry, with its resulting value. */
export interface EntryVersion {
  /** The commit; the version of the entry when it was put. */
  readonly version: number;
  /** Undefined for a version that is older than all changes that are kept. */
  readonly timeMs: number | undefined;
  readonly operation: HistoryOperation;
  /** Undefined when the change removed the entry. */
  readonly value: string | undefined;
}

/** A key as of a commit. */
interface KeyAtCommit {
  readonly key: string;
  readonly sequence: number;
}

/** The state of a key before the change of a commit. */
export interface KeptState extends StateRecord {
  /** The previous entry; undefined when there was none. */
  readonly entry: StoredEntry | undefined;
}

/** Bytes of records that one read returns. */
const BATCH_BYTES = 256 * 1024;

export class RegionHistory {
  readonly #snapshot: Snapshot;
  readonly #region: string;
  readonly #records: string;
  readonly #meta: HistoryMeta;

  /** Undefined when the region keeps no history. */
  static async open(snapshot: Snapshot, region: string): Promise<RegionHistory | undefined> {
    const records = historyRegion(region);
    if (snapshot.count(records) === undefined) return undefined;
    const [meta] = await snapshot.read(records, [META_KEY]);
    return meta && new RegionHistory(snapshot, region, parseMeta(meta.value));
  }

  private constructor(snapshot: Snapshot, region: string, meta: HistoryMeta) {
    this.#snapshot = snapshot;
    this.#region = region;
    this.#records = historyRegion(region);
    this.#meta = meta;
  }

  /** States from this commit on are kept, as far as their age allows. */
  get oldest(): number {
    return this.#meta.oldest;
  }

  /** When the oldest of these states began. */
  get oldestTimeMs(): number {
    return this.#meta.since;
  }

  /** The first change after a commit; undefined when nothing changed since. */
  async firstChangeAfter(
    sequence: number,
  ): Promise<(CommitPart & { readonly sequence: number }) | undefined> {
    const [first] = await this.#snapshot.readNext(this.#records, [afterParts(sequence)]);
    const found = first && parsePartKey(first.key);
    return found === undefined || first === undefined
      ? undefined
      : { ...parsePart(first.value), sequence: found };
  }

  /** The last commit before the first change that is later than a time; the latest when none is. */
  async findCommitAt(timeMs: number): Promise<number> {
    const latest = this.#snapshot.sequence;
    // Times never decrease, so a binary search finds the first later change.
    let low = this.oldest;
    let high = latest;
    let later = latest + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const next = await this.firstChangeAfter(middle);
      if (next !== undefined && next.time <= timeMs) low = next.sequence;
      else {
        later = next?.sequence ?? later;
        high = middle;
      }
    }
    return later - 1;
  }

  /** The last commit whose records are gone: trimmed, or too old and about to be trimmed. */
  async findGoneThrough(sinceMs: number | undefined): Promise<number> {
    if (sinceMs === undefined) return this.oldest;
    const first = await this.firstChangeAfter(this.oldest);
    const isTooOld = first !== undefined && first.time <= sinceMs;
    return isTooOld ? this.findCommitAt(sinceMs) : this.oldest;
  }

  /** Records by their own keys, stopping after the one that reaches `maxBytes`. */
  readRecords(
    stored: readonly string[],
    maxBytes: number,
  ): Promise<readonly (StoredEntry | undefined)[]> {
    return this.#snapshot.read(this.#records, stored, maxBytes);
  }

  /** The first record of each key after a commit, stopping after the one that reaches `maxBytes`. */
  async findRecords(
    positions: readonly KeyAtCommit[],
    maxBytes: number,
  ): Promise<readonly (KeptState | undefined)[]> {
    const stateKeys = positions.map(({ key, sequence }) => afterState(key, sequence));
    const entries = await this.#snapshot.readNext(this.#records, stateKeys, maxBytes);
    return entries.map((entry, i) => {
      const record = entry && parseStateKey(entry.key);
      if (entry === undefined || record?.key !== positions[i]?.key) return undefined;
      const { value, version } = entry;
      return record && { ...record, entry: record.wasPresent ? { value, version } : undefined };
    });
  }

  /** Entries of the region as of a commit. */
  async countAt(sequence: number): Promise<number> {
    const next = await this.firstChangeAfter(sequence);
    return next?.entries ?? this.#snapshot.count(this.#region) ?? 0;
  }

  /** The entries of the keys as of a commit, one per key. */
  async readAt(
    sequence: number,
    keys: readonly string[],
  ): Promise<readonly (StoredEntry | undefined)[]> {
    const found: (KeptState | undefined)[] = [];
    while (found.length < keys.length) {
      const positions = keys.slice(found.length).map((key) => ({ key, sequence }));
      found.push(...(await this.findRecords(positions, BATCH_BYTES)));
    }
    const current = keys.filter((_, i) => found[i] === undefined);
    const currentEntries = (await this.#read(this.#region, current)).values();
    return found.map((state) => (state === undefined ? currentEntries.next().value : state.entry));
  }

  /** Keys that changed after a commit with their state as of it, in the order of the range. */
  async *statesAt(sequence: number, range: KeyRange): AsyncGenerator<KeyedState> {
    let state: KeyedState | undefined;
    for await (const [record, value] of this.#scanStates(sequence, range)) {
      const isFirst = state?.key !== record.key;
      if (isFirst && state !== undefined) yield state;
      // The earliest record decides: the first one met, or in descending order the last.
      if (isFirst || range.order === 'desc') {
        state = { key: record.key, value: record.wasPresent ? value : undefined };
      }
    }
    if (state !== undefined) yield state;
  }

  async *#scanStates(
    sequence: number,
    range: KeyRange,
  ): AsyncGenerator<readonly [StateRecord, string]> {
    for await (const batch of this.#snapshot.scan(this.#records, toStateRange(range), 'entries')) {
      for (const [stored, value] of toTexts(batch)) {
        const record = parseStateKey(stored);
        if (record !== undefined && record.sequence > sequence) yield [record, value];
      }
    }
  }

  /** The latest changes of an entry below a version, latest first. */
  async listVersions(
    key: string,
    { below, limit }: { readonly below: number; readonly limit: number },
  ): Promise<readonly EntryVersion[]> {
    const records = await this.#recordsBelow(key, below, limit);
    const stored = records.filter(({ wasPresent }) => wasPresent).map((record) => record.stored);
    const before = new Map(
      (await this.#read(this.#records, stored)).map((entry, i) => [stored[i], entry]),
    );
    const parts = await this.#read(
      this.#records,
      records.map((record) => partKey(record.sequence, 0)),
    );
    const [newest] = records;
    let value = newest && (await this.readAt(newest.sequence, [key]))[0]?.value;
    const versions: EntryVersion[] = records.map((record, i) => {
      const part = parts[i];
      const version = {
        version: record.sequence,
        timeMs: part && parsePart(part.value).time,
        operation: record.operation,
        value,
      };
      value = before.get(record.stored)?.value;
      return version;
    });
    const oldest = records.at(-1);
    if (versions.length >= limit) return versions;
    const base = oldest ? before.get(oldest.stored) : await this.#findBase(key, below);
    if (base !== undefined) {
      versions.push({
        version: base.version,
        timeMs: undefined,
        operation: 'put',
        value: base.value,
      });
    }
    return versions;
  }

  /** When the entry of a key changed next after a version; undefined when it has not. */
  async findReplacedMs(key: string, version: number): Promise<number | undefined> {
    const [next] = await this.findRecords([{ key, sequence: version }], BATCH_BYTES);
    const [part] = next ? await this.#read(this.#records, [partKey(next.sequence, 0)]) : [];
    return part && parsePart(part.value).time;
  }

  /** The entry before all changes of it that are kept, if its version is below one. */
  async #findBase(key: string, below: number): Promise<StoredEntry | undefined> {
    const [first] = await this.findRecords([{ key, sequence: 0 }], BATCH_BYTES);
    const [entry] = first ? [first.entry] : await this.#snapshot.read(this.#region, [key]);
    return entry !== undefined && entry.version < below ? entry : undefined;
  }

  async #recordsBelow(
    key: string,
    below: number,
    limit: number,
  ): Promise<readonly (StateRecord & { readonly stored: string })[]> {
    const range = {
      from: beforeState(key, 0),
      to: beforeState(key, below),
      order: 'desc',
      limit,
    } as const;
    const records: (StateRecord & { readonly stored: string })[] = [];
    for await (const keys of this.#snapshot.scan(this.#records, range, 'keys')) {
      for (const stored of keys) {
        const record = parseStateKey(stored);
        if (record !== undefined) records.push({ ...record, stored });
      }
    }
    return records;
  }

  async #read(
    region: string,
    keys: readonly string[],
  ): Promise<readonly (StoredEntry | undefined)[]> {
    return keys.length === 0 ? [] : this.#snapshot.read(region, keys);
  }
}
