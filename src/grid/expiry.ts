// Removes expired entries, as ordinary commits in bounded batches: reads, sizes, queries, columns
// and feeds all see the same moment. The records in the store decide which entries are due; the
// list in memory only decides when to check.

import type {
  CommittedChange,
  Engine,
  MaybePromise,
  RegionWrite,
  StoredEntry,
} from '../engine/engine.ts';
import { toTexts } from '../engine/joined-texts.ts';
import type { Observe } from '../observe/observation.ts';
import { DueKeys } from './due-keys.ts';
import { EXPIRY_REGION, expiryKey, parseExpiry, parseExpiryKey } from './expiry-records.ts';
import { SweepLease } from './sweep-lease.ts';
import { commitUnique } from './unique/commit-unique.ts';
import type { UniqueRules } from './unique/unique-rules.ts';

/** Entries that one commit removes. */
const BATCH_KEYS = 500;
/** Maximum wait of the sweeper: after it, a clock that was set forward is noticed. */
const MAX_WAIT_MS = 500;
/** After a failure of the store. */
const RETRY_MS = 1000;

export interface ExpiryParts {
  readonly engine: Engine;
  readonly unique: UniqueRules;
  readonly observe: Observe;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
  /** Addresses of this server, which identify it among the servers of the store. */
  readonly servers: () => readonly string[];
}

export class Expiry {
  readonly #parts: ExpiryParts;
  readonly #due = new DueKeys();
  readonly #lease: SweepLease;
  /** Regions that had an entry that expires. */
  readonly #regions = new Set<string>();
  #unsubscribe: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** Settles when the last requested sweep has ended. */
  #last: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** How often records were missed, and how often at the last time that all were read. */
  #losses = 0;
  #knownLosses = -1;

  constructor(parts: ExpiryParts) {
    this.#parts = parts;
    this.#lease = new SweepLease(parts);
  }

  /** Reads all records, and follows their changes from now on. */
  async open(): Promise<void> {
    this.#unsubscribe = this.#parts.engine.subscribe({
      onCommit: ({ changes }) => this.#applyChanges(changes),
      onReset: () => {
        this.#losses += 1;
      },
    });
    await this.#load();
  }

  /** Removes entries that are due now, and later ones when they become due. */
  async start(): Promise<void> {
    // A failed sweep is retried later.
    await this.sweep().catch(() => undefined);
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#unsubscribe?.();
    await this.#running?.catch(() => undefined);
  }

  /** Keys that the sweeper will check. */
  get waiting(): number {
    return this.#due.size;
  }

  /** The expiry time of the entry with this version; synchronous for regions without expiry. */
  find(region: string, key: string, version: number): MaybePromise<number | undefined> {
    if (!this.mayExpire(region)) return undefined;
    return this.#read(region, key, version);
  }

  /** Whether entries of the region may expire. */
  mayExpire(region: string): boolean {
    return this.#isLost || this.#regions.has(region);
  }

  /** Records were missed: all must be read again. */
  get #isLost(): boolean {
    return this.#knownLosses < this.#losses;
  }

  /** Removes due entries, after the running sweep has ended. */
  sweep(): Promise<void> {
    const own = this.#last.then(() => this.#sweepAll());
    this.#last = own.catch(() => undefined);
    return own;
  }

  /** One batch after another until nothing is due. */
  async #sweepAll(): Promise<void> {
    if (this.#isLost) await this.#load();
    if (this.#due.nextMs === undefined || this.#due.nextMs > this.#parts.wallClock()) return;
    if (!(await this.#lease.hold())) return;
    while (!this.#isClosed) {
      // A key that was written several times may be listed several times.
      const keys = [...new Set(this.#due.take(this.#parts.wallClock(), BATCH_KEYS))];
      if (keys.length === 0) return;
      try {
        await this.#remove(keys);
      } catch (error) {
        // Retried with the next sweep.
        for (const key of keys) this.#due.add(key, 0);
        throw error;
      }
    }
  }

  async #read(region: string, key: string, version: number): Promise<number | undefined> {
    const records = await this.#parts.engine.openRegion(EXPIRY_REGION);
    const [record] = (await records?.read([expiryKey({ region, key })])) ?? [];
    return record?.version === version ? parseExpiry(record.value) : undefined;
  }

  async #load(): Promise<void> {
    const losses = this.#losses;
    this.#due.clear();
    if ((await this.#parts.engine.openRegion(EXPIRY_REGION)) !== undefined) await this.#readAll();
    this.#knownLosses = losses;
  }

  async #readAll(): Promise<void> {
    const snapshot = await this.#parts.engine.openSnapshot();
    try {
      for await (const batch of snapshot.scan(EXPIRY_REGION, {}, 'entries')) {
        for (const [key, value] of toTexts(batch)) this.#note(key, value);
      }
    } finally {
      snapshot.close();
    }
  }

  #applyChanges(changes: readonly CommittedChange[]): void {
    for (const change of changes) {
      if (change.region !== EXPIRY_REGION || change.kind !== 'put') continue;
      const nextMs = this.#due.nextMs ?? Number.POSITIVE_INFINITY;
      this.#note(change.key, change.value);
      if ((this.#due.nextMs ?? nextMs) < nextMs && this.#timer !== undefined) this.#schedule();
    }
  }

  #note(recordKey: string, value: string): void {
    const expiring = parseExpiryKey(recordKey);
    if (expiring === undefined) return;
    this.#regions.add(expiring.region);
    this.#due.add(recordKey, parseExpiry(value));
  }

  #schedule(): void {
    if (this.#isClosed || this.#running !== undefined) return;
    clearTimeout(this.#timer);
    const untilMs = (this.#due.nextMs ?? Number.POSITIVE_INFINITY) - this.#parts.wallClock();
    this.#timer = setTimeout(
      () => this.#run(),
      Math.max(1, Math.min(untilMs, MAX_WAIT_MS)),
    ).unref();
  }

  #run(): void {
    this.#running = this.sweep()
      .catch(async () => {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      })
      .finally(() => {
        this.#running = undefined;
        this.#schedule();
      });
  }

  async #remove(recordKeys: readonly string[]): Promise<void> {
    const { engine, observe, wallClock } = this.#parts;
    const records = await engine.openRegion(EXPIRY_REGION);
    const found = (await records?.read(recordKeys)) ?? [];
    const nowMs = wallClock();
    const due: DueRecord[] = [];
    for (const [i, recordKey] of recordKeys.entries()) {
      const record = found[i];
      if (record === undefined) continue;
      const expires = parseExpiry(record.value);
      // The entry has got another expiry time meanwhile.
      if (expires > nowMs) this.#due.add(recordKey, expires);
      else due.push({ recordKey, expires, record });
    }
    if (due.length === 0) return;
    await this.#commit(due);
    const oldest = due.reduce((least, { expires }) => Math.min(least, expires), nowMs);
    observe({ kind: 'entries-expired', entries: due.length, lagMs: wallClock() - oldest });
  }

  /** Removes entries and records in one commit; skips regions that were destroyed. */
  async #commit(due: readonly DueRecord[]): Promise<void> {
    const gone = new Set<string>();
    for (;;) {
      const outcome = await commitUnique(this.#parts, toWrites(due, gone));
      if (outcome.kind !== 'region-missing') return;
      gone.add(outcome.region);
    }
  }
}

interface DueRecord {
  readonly recordKey: string;
  readonly expires: number;
  readonly record: StoredEntry;
}

/** A record has the version of its entry, so an entry that was overwritten since stays. */
function toWrites(due: readonly DueRecord[], gone: ReadonlySet<string>): readonly RegionWrite[] {
  const byRegion = Map.groupBy(due, ({ recordKey }) => parseExpiryKey(recordKey)?.region ?? '');
  const writes = [...byRegion].filter(([region]) => !gone.has(region));
  return [
    ...writes.map(([region, records]) => ({
      region,
      changes: records.map(({ record, recordKey }) => ({
        kind: 'expire' as const,
        key: parseExpiryKey(recordKey)?.key ?? '',
        version: record.version,
      })),
    })),
    {
      region: EXPIRY_REGION,
      changes: due.map(({ record, recordKey }) => ({
        kind: 'expire' as const,
        key: recordKey,
        version: record.version,
      })),
    },
  ];
}
