// Many independent writes to one region: some may fail while the others succeed. They are committed
// in batches, in order. A batch is a list of changes with all their guards; writes whose guards
// fail are removed from it, and the rest is committed.

import type { Change, RegionDefinition, WriteGuard } from '../engine/engine.ts';
import { regionGone } from '../engine/errors.ts';
import { type EntryOperation, requirementOf, toChange, toGuards } from './entry-operation.ts';
import { GridError, keysExist, keysNotFound, preconditionFailed } from './errors.ts';
import { toExpiryWrite } from './expiry-records.ts';
import type { WriteParts } from './guarded-write.ts';
import { commitUnique } from './unique/commit-unique.ts';
import { notUnique } from './unique/errors.ts';

export interface BulkOutcome {
  /** One per operation, in order. */
  readonly results: readonly (number | GridError)[];
  /** The last commit; undefined when nothing was committed. */
  readonly sequence: number | undefined;
}

/** A valid operation, with its index in the list. */
interface Prepared {
  readonly index: number;
  readonly operation: EntryOperation;
  readonly change: Change;
}

export class BulkLoad {
  readonly #parts: WriteParts;
  readonly #definition: RegionDefinition;
  /** Settles when the preceding writes are done. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: WriteParts, definition: RegionDefinition) {
    this.#parts = parts;
    this.#definition = definition;
  }

  /** Settles when all is durable. One commit, or several when a key occurs more than once. */
  write(operations: readonly EntryOperation[]): Promise<BulkOutcome> {
    const written = this.#write(operations, this.#turn);
    this.#turn = written.catch(() => undefined);
    return written;
  }

  /** Values of unique indexes are checked after the preceding writes are done. */
  async #write(
    operations: readonly EntryOperation[],
    turn: Promise<unknown>,
  ): Promise<BulkOutcome> {
    const results = new Array<number | GridError>(operations.length);
    let sequence: number | undefined;
    for (const batch of this.#prepare(operations, results)) {
      sequence = (await this.#commit(batch, results, turn)) ?? sequence;
    }
    return { results, sequence };
  }

  /** The latest commit of the store, for a load that made none. */
  async latestSequence(): Promise<number> {
    const outcome = await this.#parts.engine.commit([]);
    return outcome.kind === 'committed' ? outcome.version : 0;
  }

  /**
   * Splits operations into batches in which no key repeats. An invalid operation gets its result here.
   */
  *#prepare(
    operations: readonly EntryOperation[],
    results: (number | GridError)[],
  ): Generator<readonly Prepared[]> {
    let batch: Prepared[] = [];
    let keys = new Set<string>();
    for (const [index, operation] of operations.entries()) {
      if (keys.has(operation.key)) {
        yield batch;
        batch = [];
        keys = new Set();
      }
      try {
        batch.push({
          index,
          operation,
          change: toChange(operation, this.#definition, this.#parts.limits),
        });
        keys.add(operation.key);
      } catch (error) {
        if (!(error instanceof GridError)) throw error;
        results[index] = error;
      }
    }
    if (batch.length > 0) yield batch;
  }

  async #commit(
    all: readonly Prepared[],
    results: (number | GridError)[],
    turn: Promise<unknown>,
  ): Promise<number | undefined> {
    const region = this.#definition.name;
    let left = all;
    while (left.length > 0) {
      const { guarded, guards } = guardsOf(left);
      const changes = left.map(({ change }) => change);
      const puts = left.map(({ operation }) => operation).filter((each) => each.op !== 'remove');
      const expiry = toExpiryWrite(this.#definition, puts, this.#parts.wallClock());
      const outcome = await commitUnique(
        this.#parts,
        [{ region, changes, guards }, ...(expiry === undefined ? [] : [expiry])],
        { order: 'in-turn', turn },
      );
      if (outcome.kind === 'region-missing') throw regionGone(region);
      if (outcome.kind === 'committed') {
        for (const { index } of left) results[index] = outcome.version;
        return outcome.version;
      }
      const errors = toErrors(outcome, left, guarded, region);
      for (const [{ index }, error] of errors) results[index] = error;
      left = left.filter((each) => !errors.has(each));
    }
    return undefined;
  }
}

/** All guards, each with its operation. */
function guardsOf(prepared: readonly Prepared[]): {
  readonly guards: readonly WriteGuard[];
  readonly guarded: readonly Prepared[];
} {
  const guards: WriteGuard[] = [];
  const guarded: Prepared[] = [];
  for (const each of prepared) {
    for (const guard of toGuards(each.operation)) {
      guards.push(guard);
      guarded.push(each);
    }
  }
  return { guards, guarded };
}

/** The errors of operations that a batch refused. */
function toErrors(
  outcome: Extract<Awaited<ReturnType<typeof commitUnique>>, { kind: 'refused' | 'not-unique' }>,
  prepared: readonly Prepared[],
  guarded: readonly Prepared[],
  region: string,
): ReadonlyMap<Prepared, GridError> {
  if (outcome.kind === 'not-unique') {
    const byKey = new Map(outcome.violations.map((each) => [each.key, notUnique(each)]));
    return new Map(
      prepared.flatMap((each) => {
        const error = byKey.get(each.change.key);
        return error === undefined ? [] : [[each, error]];
      }),
    );
  }
  const errors = new Map<Prepared, GridError>();
  for (const { guard } of outcome.refusals) {
    const each = guarded[guard];
    if (each !== undefined) errors.set(each, toError(each.operation, region));
  }
  return errors;
}

function toError(operation: EntryOperation, region: string): GridError {
  const { ifMatch, key } = operation;
  if (ifMatch !== undefined) return preconditionFailed(region, key);
  return requirementOf(operation) === 'absent'
    ? keysExist(region, [key])
    : keysNotFound(region, [key]);
}
