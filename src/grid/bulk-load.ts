// Many writes to one region, each on its own: some fail, the others are done. They are committed in
// batches, in their order. A batch is a list of changes with the guards of all of them; writes whose
// guards fail are taken out, and the rest is committed.

import type { Change, Engine, RegionDefinition, WriteGuard } from '../engine/engine.ts';
import { regionGone } from '../engine/errors.ts';
import { type EntryOperation, requirementOf, toChange, toGuards } from './entry-operation.ts';
import { GridError, keysExist, keysNotFound, preconditionFailed } from './errors.ts';
import { commitWithExpiry, toExpiryWrite } from './expiry-records.ts';
import type { GridLimits } from './limits.ts';

export interface BulkOutcome {
  /** One per operation, in order. */
  readonly results: readonly (number | GridError)[];
  /** The last commit; undefined when nothing was committed. */
  readonly sequence: number | undefined;
}

interface BulkParts {
  readonly engine: Engine;
  readonly limits: GridLimits;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
}

/** An operation that can be done, with its place in the list. */
interface Prepared {
  readonly place: number;
  readonly operation: EntryOperation;
  readonly change: Change;
}

export class BulkLoad {
  readonly #engine: Engine;
  readonly #definition: RegionDefinition;
  readonly #limits: GridLimits;
  readonly #wallClock: () => number;

  constructor({ engine, limits, wallClock }: BulkParts, definition: RegionDefinition) {
    this.#engine = engine;
    this.#definition = definition;
    this.#limits = limits;
    this.#wallClock = wallClock;
  }

  /** Settles when all is durable. One commit, or several when a key occurs more than once. */
  async write(operations: readonly EntryOperation[]): Promise<BulkOutcome> {
    const results = new Array<number | GridError>(operations.length);
    let sequence: number | undefined;
    for (const run of this.#prepare(operations, results)) {
      sequence = (await this.#commit(run, results)) ?? sequence;
    }
    return { results, sequence };
  }

  /** The latest commit of the store, for a load that made none. */
  async latestSequence(): Promise<number> {
    const outcome = await this.#engine.commit([]);
    return outcome.kind === 'committed' ? outcome.version : 0;
  }

  /** Runs of operations without a key in common; what cannot be done at all is a result already. */
  *#prepare(
    operations: readonly EntryOperation[],
    results: (number | GridError)[],
  ): Generator<readonly Prepared[]> {
    let run: Prepared[] = [];
    let keys = new Set<string>();
    for (const [place, operation] of operations.entries()) {
      if (keys.has(operation.key)) {
        yield run;
        run = [];
        keys = new Set();
      }
      try {
        run.push({ place, operation, change: toChange(operation, this.#definition, this.#limits) });
        keys.add(operation.key);
      } catch (error) {
        if (!(error instanceof GridError)) throw error;
        results[place] = error;
      }
    }
    if (run.length > 0) yield run;
  }

  async #commit(
    all: readonly Prepared[],
    results: (number | GridError)[],
  ): Promise<number | undefined> {
    const region = this.#definition.name;
    let left = all;
    while (left.length > 0) {
      const { guarded, guards } = guardsOf(left);
      const changes = left.map(({ change }) => change);
      const puts = left.map(({ operation }) => operation).filter((each) => each.op !== 'remove');
      const expiry = toExpiryWrite(this.#definition, puts, this.#wallClock());
      const outcome = await commitWithExpiry(this.#engine, [
        { region, changes, guards },
        ...(expiry === undefined ? [] : [expiry]),
      ]);
      if (outcome.kind === 'region-missing') throw regionGone(region);
      if (outcome.kind === 'committed') {
        for (const { place } of left) results[place] = outcome.version;
        return outcome.version;
      }
      const failed = new Set(outcome.refusals.map(({ guard }) => guarded[guard]));
      for (const each of left) {
        if (failed.has(each)) results[each.place] = toError(each.operation, region);
      }
      left = left.filter((each) => !failed.has(each));
    }
    return undefined;
  }
}

/** The guards of all, and whose each is. */
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

function toError(operation: EntryOperation, region: string): GridError {
  const { ifMatch, key } = operation;
  if (ifMatch !== undefined) return preconditionFailed(region, key);
  return requirementOf(operation) === 'absent'
    ? keysExist(region, [key])
    : keysNotFound(region, [key]);
}
