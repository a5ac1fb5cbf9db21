// Commits that maintain unique indexes. Writes to regions without one are committed directly.

import type { CommitEnd, CommitOutcome, RegionWrite } from '../../engine/engine.ts';
import { EngineError } from '../../engine/errors.ts';
import { commitWithExpiry } from '../expiry-records.ts';
import { reservedRegion } from '../region-rules.ts';
import { findRules, planUnique, type UniqueOrder, type Violation } from './plan-unique.ts';
import { isRecordsRegion } from './unique-records.ts';
import type { UniqueParts } from './unique-rules.ts';

/** Other entries have the values; all guards hold. */
export interface NotUnique {
  readonly kind: 'not-unique';
  /** The first violation of each change, in order. */
  readonly violations: readonly [Violation, ...Violation[]];
}

export interface UniqueOptions {
  readonly end?: CommitEnd | undefined;
  readonly order?: UniqueOrder;
  /** Awaited before records are read, for writes that must stay in order. */
  readonly turn?: Promise<unknown> | undefined;
}

/**
 * As `Engine.commit`. Retries when a record changed while the commit was prepared; each retry means
 * that another writer succeeded.
 */
export async function commitUnique(
  parts: UniqueParts,
  writes: readonly RegionWrite[],
  options: UniqueOptions = {},
): Promise<CommitOutcome | NotUnique> {
  for (;;) {
    const outcome = await commitOnce(parts, writes, options);
    if (outcome !== 'again') return outcome;
  }
}

async function commitOnce(
  parts: UniqueParts,
  writes: readonly RegionWrite[],
  { end = 'keep', order = 'together', turn }: UniqueOptions,
): Promise<CommitOutcome | NotUnique | 'again'> {
  const found = findRules(parts, writes);
  const rules = found instanceof Promise ? await found : found;
  if (rules.every(({ length }) => length === 0)) return attempt(parts, writes, end);
  await turn;
  const plan = await planUnique(parts, writes, rules, order);
  const [first, ...others] = plan.violations;
  if (first !== undefined) {
    // Guards take precedence: a refused guard is reported first.
    const outcome = await attempt(parts, plan.writes, 'roll-back');
    if (outcome === 'again' || outcome.kind !== 'committed') return outcome;
    return { kind: 'not-unique', violations: [first, ...others] };
  }
  const outcome = await attempt(parts, [...plan.writes, ...plan.records], end);
  return outcome === 'again' ? outcome : toOwnOutcome(parts, outcome, writes.length);
}

/** The outcome of the caller's writes, which precede those of records. */
async function toOwnOutcome(
  { engine }: UniqueParts,
  outcome: CommitOutcome,
  ownWrites: number,
): Promise<CommitOutcome | 'again'> {
  if (outcome.kind === 'committed') return outcome;
  if (outcome.kind === 'region-missing') {
    if (!isRecordsRegion(outcome.region)) return outcome;
    await engine.createRegion(reservedRegion(outcome.region));
    return 'again';
  }
  const refusals = outcome.refusals.filter(({ write }) => write < ownWrites);
  return refusals.length === 0 ? 'again' : { kind: 'refused', refusals };
}

/** A commit that fails if the region has a unique index unknown here. */
async function attempt(
  parts: UniqueParts,
  writes: readonly RegionWrite[],
  end: CommitEnd,
): Promise<CommitOutcome | 'again'> {
  try {
    return await commitWithExpiry(parts.engine, writes, end);
  } catch (error) {
    if (!isIndexesChanged(error)) throw error;
    for (const { region } of writes) await rereadRules(parts, region);
    return 'again';
  }
}

/** Reads the unique indexes of a region again, because the engine has others. */
export async function rereadRules({ engine, unique }: UniqueParts, region: string): Promise<void> {
  await engine.catchUp();
  unique.forget(region);
}

export function isIndexesChanged(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'engine/indexes-changed';
}
