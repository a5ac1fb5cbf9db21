// A write to one region with everything that is written in the same commit: expiry records of its
// entries, and the stored answer of its request.

import type { Change, Region, RegionWrite, WriteGuard, WriteOutcome } from '../engine/engine.ts';
import { regionGone } from '../engine/errors.ts';
import { AnswerStoredError } from './errors.ts';
import { type EntryTtl, toExpiryWrite } from './expiry-records.ts';
import type { GridLimits } from './limits.ts';
import { commitUnique, isIndexesChanged, rereadRules } from './unique/commit-unique.ts';
import { notUnique } from './unique/errors.ts';
import type { UniqueParts } from './unique/unique-rules.ts';

export interface GuardedWrite {
  readonly changes: readonly Change[];
  readonly guards: readonly WriteGuard[];
  /** The entries that are put, with their times to live. */
  readonly ttls?: readonly EntryTtl[];
  /** Stores the answer of the request, in the same commit. */
  readonly answerWrite?: RegionWrite | undefined;
}

/** What every write needs. */
export interface WriteParts extends UniqueParts {
  readonly limits: GridLimits;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
}

/**
 * Throws `AnswerStoredError` when the write of the answer is refused, which takes precedence.
 * Throws `grid/not-unique` when another entry has a value of a unique index.
 */
export async function commitGuarded(
  parts: WriteParts,
  region: Region,
  { answerWrite, changes, guards, ttls = [] }: GuardedWrite,
): Promise<WriteOutcome> {
  const { name } = region.definition;
  const expiry = toExpiryWrite(region.definition, ttls, parts.wallClock());
  if (answerWrite === undefined && expiry === undefined) {
    const rules = parts.unique.find(name);
    if ((rules instanceof Promise ? await rules : rules).length === 0) {
      try {
        return await region.write(changes, guards);
      } catch (error) {
        // The region has a unique index that was unknown here.
        if (!isIndexesChanged(error)) throw error;
      }
      await rereadRules(parts, name);
    }
  }
  const others = [answerWrite, expiry].filter((write) => write !== undefined);
  return commitTogether(parts, [{ region: name, changes, guards }, ...others]);
}

/**
 * Returns the outcome of the first write. A refusal of another one means that an answer with the
 * same idempotency key is stored already.
 */
async function commitTogether(
  parts: UniqueParts,
  writes: readonly RegionWrite[],
): Promise<WriteOutcome> {
  const outcome = await commitUnique(parts, writes);
  if (outcome.kind === 'committed') return outcome;
  if (outcome.kind === 'region-missing') throw regionGone(outcome.region);
  if (outcome.kind === 'not-unique') throw notUnique(outcome.violations[0]);
  const [first] = outcome.refusals;
  if (first === undefined || outcome.refusals.some(({ write }) => write > 0)) {
    throw new AnswerStoredError();
  }
  return first.failure;
}
