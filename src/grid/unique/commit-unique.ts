// Commits that keep to unique indexes. Regions without one are committed as they are.

import type { CommitEnd, CommitOutcome, Engine, RegionWrite } from '../../engine/engine.ts';
import { EngineError } from '../../engine/errors.ts';
import { commitWithExpiry } from '../expiry-records.ts';
import { findRules, planUnique, type UniqueOrder, type Violation } from './plan-unique.ts';
import { isRecordsRegion, recordsDefinition } from './unique-records.ts';
import type { UniqueRules } from './unique-rules.ts';

export interface UniqueParts {
  readonly engine: Engine;
  readonly unique: UniqueRules;
}

/** Entries of other keys have the values; every guard holds. */
export interface NotUnique {
  readonly kind: 'not-unique';
  /** The first of each change, in their order. */
  readonly violations: readonly [Violation, ...Violation[]];
}

export interface UniqueOptions {
  readonly end?: CommitEnd | undefined;
  readonly order?: UniqueOrder;
  /** Waited for before records are read: writes that must stay in their order. */
  readonly turn?: Promise<unknown> | undefined;
}

/**
 * As `Engine.commit`. A record that changed while the commit was prepared only makes it look again:
 * somebody else got ahead each time.
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
  const looked = findRules(parts, writes);
  const rules = looked instanceof Promise ? await looked : looked;
  if (rules.every(({ length }) => length === 0)) return attempt(parts, writes, end);
  await turn;
  const plan = await planUnique(parts, writes, rules, order);
  const [first, ...others] = plan.violations;
  if (first !== undefined) {
    // Guards come first: a commit that is refused anyway says why.
    const outcome = await attempt(parts, plan.writes, 'roll-back');
    if (outcome === 'again' || outcome.kind !== 'committed') return outcome;
    return { kind: 'not-unique', violations: [first, ...others] };
  }
  const outcome = await attempt(parts, [...plan.writes, ...plan.records], end);
  return outcome === 'again' ? outcome : settle(parts, outcome, writes.length);
}

/** The outcome of the caller's writes, which precede those of records. */
async function settle(
  { engine }: UniqueParts,
  outcome: CommitOutcome,
  own: number,
): Promise<CommitOutcome | 'again'> {
  if (outcome.kind === 'committed') return outcome;
  if (outcome.kind === 'region-missing') {
    if (!isRecordsRegion(outcome.region)) return outcome;
    await engine.createRegion(recordsDefinition(outcome.region));
    return 'again';
  }
  const refusals = outcome.refusals.filter(({ write }) => write < own);
  return refusals.length === 0 ? 'again' : { kind: 'refused', refusals };
}

/** A commit through which no unique index can have been overlooked. */
async function attempt(
  parts: UniqueParts,
  writes: readonly RegionWrite[],
  end: CommitEnd,
): Promise<CommitOutcome | 'again'> {
  try {
    return await commitWithExpiry(parts.engine, writes, end);
  } catch (error) {
    if (!isIndexesChanged(error)) throw error;
    for (const { region } of writes) await lookAgain(parts, region);
    return 'again';
  }
}

/** The engine knows other unique indexes of the region than were known here. */
export async function lookAgain({ engine, unique }: UniqueParts, region: string): Promise<void> {
  await engine.catchUp();
  unique.forget(region);
}

export function isIndexesChanged(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'engine/indexes-changed';
}
