// One region as the service sees it: every operation on entries, with its rules. Each write is one
// atomic operation of the engine; conditions are never checked before it, outside the commit.

import type {
  Change,
  FirstEntries,
  MaybePromise,
  Region,
  RegionDefinition,
  RegionWrite,
  StoredEntry,
  ValuesTogether,
  WriteGuard,
  WriteOutcome,
} from '../engine/engine.ts';
import { EngineError, regionGone } from '../engine/errors.ts';
import { findFailedGuard } from '../engine/write-guards.ts';
import { equalJson } from '../value/json-equal.ts';
import type { PatchOutcome } from '../value/json-patch.ts';
import {
  checkKey,
  checkKeyConstraint,
  checkValue,
  checkValueLength,
  type ValueUse,
} from './constraints.ts';
import {
  badKey,
  countFailed,
  keyExists,
  keysExist,
  keysMissing,
  keysNotFound,
  operationNotSupported,
  patchFailed,
  preconditionFailed,
  valueDiffers,
} from './errors.ts';
import type { Expiry } from './expiry.ts';
import type { EntryTtl, NewEntry } from './expiry-records.ts';
import { FirstPage, type MadePage, type PageMaker } from './first-page.ts';
import { commitGuarded, type GuardedWrite, type WriteParts } from './guarded-write.ts';
import { listVersions, type Moment, requireValue, type VersionsWanted } from './history.ts';
import type { GridLimits } from './limits.ts';
import { type Precondition, toGuard } from './precondition.ts';
import { openScan, type RegionScan, readAt } from './region-scan.ts';

export type {
  FirstEntries,
  JoinedValues,
  MaybePromise,
  RegionDescription,
  StoredEntry,
} from '../engine/engine.ts';

/** The parts that all regions share. */
export interface RegionParts extends WriteParts {
  /** Called when a region was cleared. */
  readonly onCleared?: (region: string) => void;
  /** Absent if nothing expires. */
  readonly expiry?: Pick<Expiry, 'find'>;
}

const isZero = (count: number): boolean => count === 0;
const hasNone = (entries: readonly unknown[]): boolean =>
  entries.every((entry) => entry === undefined);
const isEmpty = ({ keys }: FirstEntries): boolean => keys.length === 0;

const ALL_PRESENT: readonly WriteGuard[] = [{ kind: 'all-present' }];
const ALL_ABSENT: readonly WriteGuard[] = [{ kind: 'all-absent' }];

export class GridRegion {
  readonly #parts: RegionParts;
  readonly #region: Region;
  readonly #limits: GridLimits;
  readonly #firstPage: FirstPage;

  constructor(region: Region, parts: RegionParts) {
    this.#parts = parts;
    this.#region = region;
    this.#firstPage = new FirstPage({
      readFirst: (limit) => this.#checked(region.readFirst(limit), isEmpty),
    });
    this.#limits = parts.limits;
  }

  get name(): string {
    return this.#region.definition.name;
  }

  get definition(): RegionDefinition {
    return this.#region.definition;
  }

  /** Spec 4.3: a store that cannot count gets its own error. */
  count(): MaybePromise<number> {
    const count = this.#checked(this.#region.count(), isZero);
    if (!(count instanceof Promise)) return count;
    return count.catch((error: unknown) => {
      const failed = error instanceof EngineError && error.code.startsWith('engine/store-');
      throw failed ? countFailed(this.name, error.message) : error;
    });
  }

  /** Spec 4.5 without `ignoreMissingKey`: throws unless every key was found. */
  requireAll(keys: readonly string[], entries: readonly (StoredEntry | undefined)[]): void {
    if (!entries.includes(undefined)) return;
    throw keysMissing(
      this.name,
      keys.filter((_, i) => entries[i] === undefined),
    );
  }

  /** One element per key, in order; an absent key gives undefined. */
  read(keys: readonly string[]): MaybePromise<readonly (StoredEntry | undefined)[]> {
    for (const key of keys) checkKey(key, this.#limits.maxKeyBytes);
    return this.#checked(this.#region.read(keys), hasNone);
  }

  /** The expiry time of the entry with this version, in milliseconds since 1970. */
  findExpiry(key: string, version: number): MaybePromise<number | undefined> {
    return this.#parts.expiry?.find(this.name, key, version);
  }

  /** `read` as of an earlier commit or time. */
  async readAt(keys: readonly string[], at: Moment): Promise<readonly (StoredEntry | undefined)[]> {
    for (const key of keys) checkKey(key, this.#limits.maxKeyBytes);
    return readAt(this.#parts, this.name, keys, at);
  }

  /** `read` with all values in one buffer, for many keys; see `Region.readTogether`. */
  readTogether(keys: readonly string[]): MaybePromise<ValuesTogether | undefined> {
    for (const key of keys) checkKey(key, this.#limits.maxKeyBytes);
    return this.#region.readTogether(keys);
  }

  /** The result of `make` for the first entries in key order, for limits small enough to hold. */
  makePage<Page>(limit: number, make: PageMaker<Page>): MaybePromise<MadePage<Page>> {
    return this.#firstPage.make(this, limit, make);
  }

  /** Call it when the region has changed. */
  forgetPage(): void {
    this.#firstPage.forget();
  }

  /** Any number of entries, streamed from one snapshot: as they are, or as of an earlier moment. */
  openScan(at?: Moment): Promise<RegionScan> {
    return openScan(this.#parts, this.name, at);
  }

  /** The versions of an entry that are kept, latest first. */
  listVersions(wanted: VersionsWanted): ReturnType<typeof listVersions> {
    checkKey(wanted.key, this.#limits.maxKeyBytes);
    return listVersions(this.#parts, this.name, wanted);
  }

  /** Restores the value that an entry had with a version. */
  async restore(
    key: string,
    version: number,
    preconditions: readonly Precondition[],
  ): Promise<number> {
    checkKey(key, this.#limits.maxKeyBytes);
    const value = await requireValue(this.#parts, this.name, { key, version });
    return this.put([{ key, value }], preconditions);
  }

  /** Creates or overwrites all entries. */
  async put(
    entries: readonly NewEntry[],
    preconditions: readonly Precondition[],
    answerWrite?: RegionWrite,
  ): Promise<number> {
    const changes = this.#puts(entries, 'put');
    return this.#committed(
      await this.#write({ changes, guards: [], ttls: entries, answerWrite }, preconditions),
    );
  }

  /** Spec 4.6: overwrites all entries, or none when a key is absent. */
  async replace(
    entries: readonly NewEntry[],
    preconditions: readonly Precondition[],
    answerWrite?: RegionWrite,
  ): Promise<number> {
    this.#refuseEmptyRegion('REPLACE');
    const changes = this.#puts(entries, 'replace');
    const write = { changes, guards: ALL_PRESENT, ttls: entries, answerWrite };
    const outcome = await this.#write(write, preconditions);
    if (outcome.kind === 'keys-missing') throw keysMissing(this.name, outcome.keys);
    return this.#committed(outcome);
  }

  /** Creates all entries, or none when a key exists. */
  async create(
    entries: readonly NewEntry[],
    preconditions: readonly Precondition[],
    answerWrite?: RegionWrite,
  ): Promise<number> {
    this.#refuseEmptyRegion('CREATE');
    const changes = this.#puts(entries, 'create');
    const write = { changes, guards: ALL_ABSENT, ttls: entries, answerWrite };
    const outcome = await this.#write(write, preconditions);
    if (outcome.kind === 'keys-present') {
      throw keysExist(
        this.name,
        outcome.entries.map((entry) => entry.key),
      );
    }
    return this.#committed(outcome);
  }

  /** Adds one entry; when its key exists, the error carries the existing value. */
  async add(
    entry: NewEntry,
    preconditions: readonly Precondition[],
    answerWrite?: RegionWrite,
  ): Promise<number> {
    const changes = this.#puts([entry], 'create');
    const write = { changes, guards: ALL_ABSENT, ttls: [entry], answerWrite };
    const outcome = await this.#write(write, preconditions);
    if (outcome.kind === 'keys-present') {
      throw keyExists(this.name, entry.key, outcome.entries[0]?.value ?? 'null');
    }
    return this.#committed(outcome);
  }

  /** Writes the new value when the stored one equals `expected`, as JSON or by another rule. */
  async compareAndSet(
    change: NewEntry & { readonly expected: string },
    preconditions: readonly Precondition[],
    {
      answerWrite,
      isEqual = equalJson,
    }: {
      readonly answerWrite?: RegionWrite | undefined;
      readonly isEqual?: (stored: string, expected: string) => boolean;
    } = {},
  ): Promise<number> {
    this.#refuseEmptyRegion('CAS');
    const { key, expected } = change;
    const puts = this.#puts([change], 'compare-and-set');
    const { version } = await this.#update(key, preconditions, (current) => {
      if (!isEqual(current, expected)) throw valueDiffers(this.name, key, current);
      return { changes: puts, ttls: [change], answerWrite };
    });
    return version;
  }

  /** Writes the result of `patch` on the stored value, atomically. */
  async patch(
    { key, ttlMs }: EntryTtl,
    patch: (current: string) => PatchOutcome,
    preconditions: readonly Precondition[],
    answerWriteOf?: (value: string) => RegionWrite,
  ): Promise<StoredEntry> {
    this.#refuseEmptyRegion('PATCH');
    return this.#update(key, preconditions, (current) => {
      const outcome = patch(current);
      if (outcome.kind === 'failed') {
        const at = `operation ${outcome.operation}, ${outcome.reason}`;
        throw patchFailed(this.name, key, at);
      }
      const value = outcome.text;
      return {
        changes: this.#puts([{ key, value }], 'put'),
        ttls: [{ key, ttlMs }],
        answerWrite: answerWriteOf?.(value),
      };
    });
  }

  /**
   * Reads the entry, computes the new value, and writes it if the version is unchanged; retries
   * otherwise. Each retry means that another writer succeeded, so the loop makes progress.
   */
  async #update(
    key: string,
    preconditions: readonly Precondition[],
    decide: (current: string) => Omit<GuardedWrite, 'guards'>,
  ): Promise<StoredEntry> {
    for (;;) {
      const [current] = await this.read([key]);
      const stated = preconditions.map((precondition) => toGuard(precondition, key));
      if (findFailedGuard(stated, [], () => current) !== undefined) {
        throw preconditionFailed(this.name, key);
      }
      if (current === undefined) throw keysNotFound(this.name, [key]);
      const write = decide(current.value);
      const { changes } = write;
      const unchanged: WriteGuard = { kind: 'version-is', key, versions: [current.version] };
      const outcome = await this.#commit({ ...write, guards: [unchanged] });
      const [change] = changes;
      if (outcome.kind === 'committed' && change?.kind === 'put') {
        return { value: change.value, version: outcome.version };
      }
    }
  }

  /** Removes all entries named, or none when a key is absent. */
  async remove(
    keys: readonly string[],
    preconditions: readonly Precondition[],
    answerWrite?: RegionWrite,
  ): Promise<number> {
    const changes = [...new Set(keys)].map((key): Change => {
      checkKey(key, this.#limits.maxKeyBytes);
      return { kind: 'remove', key };
    });
    const outcome = await this.#write({ changes, guards: ALL_PRESENT, answerWrite }, preconditions);
    if (outcome.kind === 'keys-missing') throw keysNotFound(this.name, outcome.keys);
    return this.#committed(outcome);
  }

  /** Removes every entry; the region stays. */
  async clear(): Promise<number> {
    const { version } = await this.#region.clear();
    this.#parts.onCleared?.(this.name);
    return version;
  }

  /**
   * A region that was destroyed since it was opened looks empty to a read. So an empty result is
   * checked: throws `engine/region-gone`. A synchronous result is from the same moment as the
   * region, and needs no check.
   */
  #checked<Found>(
    found: MaybePromise<Found>,
    isNothing: (found: Found) => boolean,
  ): MaybePromise<Found> {
    if (!(found instanceof Promise)) return found;
    return found.then(async (result) => {
      if (!isNothing(result)) return result;
      if ((await this.#parts.engine.openRegion(this.name)) === undefined)
        throw regionGone(this.name);
      return result;
    });
  }

  #puts(entries: readonly NewEntry[], use: ValueUse): readonly Change[] {
    // A single key needs no set, which would flatten its string.
    const seen = entries.length === 1 ? undefined : new Set<string>();
    return entries.map(({ key, value }): Change => {
      checkKey(key, this.#limits.maxKeyBytes);
      checkKeyConstraint(key, this.definition);
      checkValueLength(`key (${key})`, value, this.#limits.maxValueBytes);
      checkValue(value, use, this.definition);
      if (seen?.has(key)) throw badKey(`Key (${key}) is named twice in one write`);
      seen?.add(key);
      return { kind: 'put', key, value };
    });
  }

  /** Preconditions are checked first, so a client with a precondition gets its result. */
  #write(write: GuardedWrite, preconditions: readonly Precondition[]): Promise<WriteOutcome> {
    return preconditions.length === 0 ? this.#commit(write) : this.#writeIf(write, preconditions);
  }

  async #writeIf(
    write: GuardedWrite,
    preconditions: readonly Precondition[],
  ): Promise<WriteOutcome> {
    const key = write.changes[0]?.key ?? '';
    const stated = preconditions.map((precondition) => toGuard(precondition, key));
    const outcome = await this.#commit({ ...write, guards: [...stated, ...write.guards] });
    if (outcome.kind === 'committed') return outcome;
    // Only preconditions have a version.
    if (outcome.kind === 'version-differs') {
      throw preconditionFailed(this.name, key);
    }
    return outcome;
  }

  #commit(write: GuardedWrite): Promise<WriteOutcome> {
    return commitGuarded(this.#parts, this.#region, write);
  }

  #committed(outcome: WriteOutcome): number {
    if (outcome.kind === 'committed') return outcome.version;
    throw new Error(`Unexpected write outcome ${outcome.kind}`);
  }

  #refuseEmptyRegion(operation: string): void {
    if (this.definition.type === 'EMPTY') throw operationNotSupported(operation, this.name);
  }
}
