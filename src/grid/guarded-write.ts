// A write to one region with all that is written in the same commit: when its entries expire, and
// the answer that is kept of it.

import type {
  Change,
  Engine,
  Region,
  RegionWrite,
  WriteGuard,
  WriteOutcome,
} from '../engine/engine.ts';
import { regionGone } from '../engine/errors.ts';
import { AnswerKeptError } from './errors.ts';
import { commitWithExpiry, type LivingEntry, toExpiryWrite } from './expiry-records.ts';

export interface GuardedWrite {
  readonly changes: readonly Change[];
  readonly guards: readonly WriteGuard[];
  /** The entries that are put, with how long they live. */
  readonly living?: readonly LivingEntry[];
  /** Written to another region in the same commit. */
  readonly beside?: RegionWrite | undefined;
}

/** Throws `AnswerKeptError` when what is written beside is refused: it then counts more. */
export async function commitGuarded(
  engine: Engine,
  region: Region,
  { beside, changes, guards, living = [] }: GuardedWrite,
  nowMs: number,
): Promise<WriteOutcome> {
  const expiry = toExpiryWrite(region.definition, living, nowMs);
  if (beside === undefined && expiry === undefined) return region.write(changes, guards);
  const others = [beside, expiry].filter((write) => write !== undefined);
  const own = { region: region.definition.name, changes, guards };
  const outcome = await commitWithExpiry(engine, [own, ...others]);
  if (outcome.kind === 'committed') return outcome;
  if (outcome.kind === 'region-missing') throw regionGone(outcome.region);
  const [first] = outcome.refusals;
  if (first === undefined || outcome.refusals.some(({ write }) => write > 0)) {
    throw new AnswerKeptError();
  }
  return first.failure;
}
