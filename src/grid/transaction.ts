// Several operations on entries of any regions as one commit. Operations are applied in order.
// Reads see the state after the commit, regardless of their position. The store tests each key
// once, before it writes. So a requirement on a key that an earlier operation of the same
// transaction wrote is checked here.

import type {
  Change,
  CommitEnd,
  CommitOutcome,
  RegionDefinition,
  RegionWrite,
  StoredEntry,
  WriteGuard,
} from '../engine/engine.ts';
import { regionGone } from '../engine/errors.ts';
import { checkKey } from './constraints.ts';
import { type EntryOperation, requirementOf, toChange, toGuards } from './entry-operation.ts';
import {
  AnswerStoredError,
  conditionFailed,
  type FailedCondition,
  type FailedElement,
  GridError,
} from './errors.ts';
import { type EntryTtl, EXPIRY_REGION, toExpiryWrite } from './expiry-records.ts';
import type { WriteParts } from './guarded-write.ts';
import { unchangedGuard } from './precondition.ts';
import { commitUnique } from './unique/commit-unique.ts';
import { notUnique } from './unique/errors.ts';

export interface Transaction {
  readonly conditions: readonly TransactionCondition[];
  readonly operations: readonly TransactionOperation[];
  /** `roll-back`: everything is executed and answered, and nothing is committed. */
  readonly end: CommitEnd;
}

export interface TransactionCondition {
  readonly region: string;
  readonly key: string;
  readonly requires: 'present' | 'absent' | { readonly version: number };
}

export type TransactionOperation = { readonly region: string } & (
  | EntryOperation
  | { readonly op: 'get'; readonly key: string }
);

export interface TransactionResult {
  readonly version: number;
  /** One per operation: undefined for a read of an absent key. */
  readonly results: readonly (OperationResult | undefined)[];
}

/** `version` is absent if it is that of the transaction. */
export interface OperationResult {
  readonly version?: number;
  /** Only of reads. */
  readonly value?: string;
}

/** Turns the results into the write that stores the answer, in the same commit. */
export type KeepAnswer = (results: TransactionResult['results']) => RegionWrite;

/** Entries by region and key. */
type EntriesRead = ReadonlyMap<string, ReadonlyMap<string, StoredEntry | undefined>>;

/** The part of a transaction that concerns one region. */
interface RegionPart {
  readonly definition: RegionDefinition;
  /** The last change of each key. */
  readonly changes: Map<string, Change>;
  /** The time to live of each entry. */
  readonly ttls: Map<string, EntryTtl>;
  readonly guards: WriteGuard[];
  /** The origin of each guard; the guards after these only check that reads are unchanged. */
  readonly origins: FailedCondition[];
  readonly reads: Set<string>;
}

export class TransactionRun {
  readonly #parts: WriteParts;
  readonly #transaction: Transaction;
  readonly #regions: ReadonlyMap<string, RegionPart>;
  /** A condition that no state of the store can fulfil. */
  #failure: FailedCondition | undefined;

  /** `definitions` has every region that the transaction names. */
  constructor(
    parts: WriteParts,
    transaction: Transaction,
    definitions: ReadonlyMap<string, RegionDefinition>,
  ) {
    this.#parts = parts;
    this.#transaction = transaction;
    this.#regions = new Map(
      [...definitions].map(([name, definition]) => [name, createPart(definition)]),
    );
    for (const [index, condition] of transaction.conditions.entries()) {
      this.#addCondition(condition, index);
    }
    for (const [index, operation] of transaction.operations.entries()) {
      this.#addOperation(operation, index);
    }
  }

  /** Throws `grid/condition-failed`. */
  async run(): Promise<TransactionResult> {
    if (this.#failure !== undefined) throw await this.#fail(this.#failure);
    const names = [...this.#regions.keys()];
    const writes = this.#writes((part) => [...part.reads]);
    const outcome = await this.#commit(writes);
    const { reads, version } = this.#requireCommitted(outcome);
    const found = new Map(names.map((name, i) => [name, this.#byKey(name, reads[i] ?? [])]));
    const results = this.#results((region, key) => found.get(region)?.get(key));
    return { version, results };
  }

  /**
   * `run` with the answer stored in the commit. Values of the answer are read before, and the commit
   * requires that they are unchanged.
   */
  async runOnce(keep: KeepAnswer): Promise<TransactionResult> {
    if (this.#failure !== undefined) throw await this.#fail(this.#failure);
    for (;;) {
      const before = await this.#readBefore();
      const results = this.#results((region, key) => before.get(region)?.get(key));
      const writes = this.#writes(() => [], before);
      const outcome = await this.#commit([...writes, keep(results)]);
      if (outcome.kind === 'refused') {
        if (outcome.refusals.some(({ write }) => write === writes.length))
          throw new AnswerStoredError();
        if (this.#findFailed(outcome) === undefined) continue;
      }
      return { version: this.#requireCommitted(outcome).version, results };
    }
  }

  #addCondition({ key, region, requires }: TransactionCondition, index: number): void {
    const { maxKeyBytes } = this.#parts.limits;
    withPosition({ in: 'if', index }, () => checkKey(key, maxKeyBytes));
    const part = this.#part(region);
    const isVersion = typeof requires === 'object';
    const guard: WriteGuard = isVersion
      ? { kind: 'version-is', key, versions: [requires.version] }
      : { kind: requires, key };
    part.guards.push(guard);
    part.origins.push({ in: 'if', index, kind: isVersion ? 'version' : requires, region, key });
  }

  #addOperation(operation: TransactionOperation, index: number): void {
    const { key, region } = operation;
    const part = this.#part(region);
    const element = { in: 'do', index } as const;
    if (operation.op === 'get') {
      withPosition(element, () => checkKey(key, this.#parts.limits.maxKeyBytes));
      part.reads.add(key);
      return;
    }
    const change = withPosition(element, () =>
      toChange(operation, part.definition, this.#parts.limits),
    );
    const kind = requirementOf(operation);
    const origin = kind && { ...element, kind, region, key };
    const earlier = part.changes.get(key);
    if (earlier !== undefined && origin !== undefined) {
      // The version that it writes is not known yet.
      const state = isStored(earlier, part.definition) ? 'present' : 'absent';
      if (origin.kind !== state) this.#failure ??= origin;
    } else if (origin !== undefined && this.#failure === undefined) {
      part.guards.push(...toGuards(operation));
      part.origins.push(origin);
    }
    part.changes.set(key, change);
    part.ttls.set(key, { key, ttlMs: operation.op === 'remove' ? undefined : operation.ttlMs });
  }

  /** Expiry records come last: they have no guards. */
  async #commit(writes: readonly RegionWrite[]): Promise<CommitOutcome> {
    const changes = [...this.#regions.values()].flatMap(({ changes: all, definition, ttls }) => {
      const put = [...ttls.values()].filter(({ key }) => all.get(key)?.kind === 'put');
      return toExpiryWrite(definition, put, this.#parts.wallClock())?.changes ?? [];
    });
    const expiry = changes.length === 0 ? [] : [{ region: EXPIRY_REGION, changes }];
    const { end } = this.#transaction;
    const outcome = await commitUnique(this.#parts, [...writes, ...expiry], { end });
    if (outcome.kind !== 'not-unique') return outcome;
    const [first] = outcome.violations;
    const { key, region } = first;
    const index = this.#transaction.operations.findLastIndex(
      (each) => each.region === region && each.key === key && each.op !== 'get',
    );
    throw notUnique(first, { in: 'do', index, kind: 'unique', region, key });
  }

  #part(region: string): RegionPart {
    const part = this.#regions.get(region);
    if (part === undefined) throw new TypeError(`Region ${region} was not looked up`);
    return part;
  }

  #writes(
    readsOf: (part: RegionPart) => readonly string[],
    before?: EntriesRead,
  ): readonly RegionWrite[] {
    return [...this.#regions].map(([region, part]) => ({
      region,
      changes: [...part.changes.values()],
      guards: [...part.guards, ...unchangedGuards(part, before?.get(region))],
      reads: readsOf(part),
    }));
  }

  #byKey(
    region: string,
    entries: readonly (StoredEntry | undefined)[],
  ): ReadonlyMap<string, StoredEntry | undefined> {
    return new Map([...this.#part(region).reads].map((key, i) => [key, entries[i]]));
  }

  async #readBefore(): Promise<EntriesRead> {
    const before = new Map<string, ReadonlyMap<string, StoredEntry | undefined>>();
    for (const [name, { reads }] of this.#regions) {
      const region = reads.size === 0 ? undefined : await this.#parts.engine.openRegion(name);
      const entries = (await region?.read([...reads])) ?? [];
      before.set(name, this.#byKey(name, entries));
    }
    return before;
  }

  #results(
    find: (region: string, key: string) => StoredEntry | undefined,
  ): readonly (OperationResult | undefined)[] {
    return this.#transaction.operations.map(({ key, op, region }) => {
      if (op !== 'get') return {};
      const { changes, definition } = this.#part(region);
      const written = changes.get(key);
      if (written === undefined) return find(region, key);
      return isStored(written, definition) ? { value: written.value } : undefined;
    });
  }

  #requireCommitted(outcome: CommitOutcome): Extract<CommitOutcome, { kind: 'committed' }> {
    if (outcome.kind === 'committed') return outcome;
    if (outcome.kind === 'region-missing') throw regionGone(outcome.region);
    const failed = this.#findFailed(outcome);
    throw failed === undefined
      ? new Error('A guard failed that was not set')
      : conditionFailed(failed);
  }

  /** The first condition or operation whose guard failed; undefined when only reads have changed. */
  #findFailed({
    refusals,
  }: Extract<CommitOutcome, { kind: 'refused' }>): FailedCondition | undefined {
    const parts = [...this.#regions.values()];
    let first: FailedCondition | undefined;
    for (const { guard, write } of refusals) {
      const origin = parts[write]?.origins[guard];
      if (origin === undefined) continue;
      if (first === undefined || comesBefore(origin, first)) first = origin;
    }
    return first;
  }

  /** The store may refuse an earlier condition than the one that cannot be fulfilled. */
  async #fail(failure: FailedCondition): Promise<Error> {
    const guards = this.#writes(() => []).map((write) => ({ ...write, changes: [] }));
    const outcome = await this.#parts.engine.commit(guards);
    const earlier = outcome.kind === 'refused' ? this.#findFailed(outcome) : undefined;
    return conditionFailed(earlier ?? failure);
  }
}

function createPart(definition: RegionDefinition): RegionPart {
  return {
    definition,
    changes: new Map(),
    ttls: new Map(),
    guards: [],
    origins: [],
    reads: new Set(),
  };
}

/** Runs a check of a condition or operation; its errors state the position of the element. */
function withPosition<T>(element: FailedElement, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof GridError ? atElement(error, element) : error;
  }
}

function atElement({ code, details, message }: GridError, element: FailedElement): GridError {
  const place = `${element.in}[${element.index}]`;
  return new GridError(code, `${place}: ${message}`, { ...details, failed: element });
}

/** A region of type EMPTY stores nothing. */
function isStored(
  change: Change,
  { type }: RegionDefinition,
): change is Extract<Change, { kind: 'put' }> {
  return change.kind === 'put' && type !== 'EMPTY';
}

/** The entries that were read are unchanged. */
function unchangedGuards(
  { changes }: RegionPart,
  before: ReadonlyMap<string, StoredEntry | undefined> = new Map(),
): readonly WriteGuard[] {
  return [...before]
    .filter(([key]) => !changes.has(key))
    .map(([key, entry]) => unchangedGuard(key, entry?.version));
}

function comesBefore(a: FailedCondition, b: FailedCondition): boolean {
  return a.in === b.in ? a.index < b.index : a.in === 'if';
}
