// Checks whether a store has every commit that its mark requires, however the last run ended. Missing
// commits are always reported.

import { existsSync, rmSync } from 'node:fs';
import { printAmount } from '../../value/print-amount.ts';
import { type EngineError, storeDamaged } from '../errors.ts';
import type { StoreRow } from './schema.ts';
import type { StoreFiles } from './store-files.ts';
import { type Mark, readMark } from './store-mark.ts';
import { type LogState, readLog } from './write-ahead-log.ts';

/**
 * Upper bound of the commits that a power cut can lose, with durability `relaxed`, without a trace
 * in the mark.
 */
const UNKNOWN_COMMITS = 2 ** 24;
const HOW_TO_CONTINUE = 'gridkeep accept-loss continues without them';

/** The state of the files before SQLite opens them. */
export interface RecoveryState {
  readonly mark: Mark | undefined;
  readonly log: LogState | undefined;
  readonly hasLogFile: boolean;
  /** A damaged log that was no longer needed was removed. */
  readonly isLogDropped?: boolean;
}

/** Call this before the store is read: beside a running server the mark must not be newer. */
export function readRecoveryState(files: Pick<StoreFiles, 'log' | 'mark'>): RecoveryState {
  const mark = readMark(files.mark);
  const log = readLog(files.log);
  // A server that commits meanwhile overwrites frames that were read already.
  const isSteady = readMark(files.mark)?.sequence === mark?.sequence;
  return { mark, log: isSteady ? log : undefined, hasLogFile: existsSync(files.log) };
}

/**
 * Whether the log is damaged but not needed, because the data file has all its frames. SQLite would
 * copy the frames before the damage over newer pages.
 */
export function isLogUnneeded({ log, mark }: RecoveryState): boolean {
  const checkpointed = mark?.checkpointed;
  return (
    checkpointed !== undefined &&
    log !== undefined &&
    log.salts === checkpointed.salts &&
    log.soundFrames < checkpointed.frames &&
    log.lastFrame <= checkpointed.frames
  );
}

/** Removes a damaged log that is not needed. The store still has all its commits. */
export function dropUnneededLog(files: StoreFiles, recovery: RecoveryState): RecoveryState {
  if (!isLogUnneeded(recovery)) return recovery;
  rmSync(files.log);
  return { ...recovery, log: undefined, hasLogFile: false, isLogDropped: true };
}

/** An error that describes the missing commits; undefined when the store is complete. */
export function findMissing(
  files: Pick<StoreFiles, 'data' | 'log' | 'mark'>,
  recovery: RecoveryState,
  { clean, sequence }: StoreRow,
): EngineError | undefined {
  const { hasLogFile, log, mark } = recovery;
  const isBroken = log !== undefined && log.commitsAfterBreak > 1;
  if (mark === undefined) {
    if (clean || (log !== undefined && log.soundFrames > 0 && !isBroken)) return undefined;
    return storeDamaged(
      files.data,
      `it was not stopped cleanly, and neither ${files.log} nor ${files.mark} shows its last commit; commits may be missing, and ${HOW_TO_CONTINUE}`,
    );
  }
  const breaks = log === undefined ? '' : ` after frame ${log.soundFrames}`;
  if (sequence < mark.synced) {
    const lost = `the acknowledged commits ${sequence + 1} to ${mark.synced} are missing`;
    if (hasLogFile) return storeDamaged(files.log, `${lost}${breaks}; ${HOW_TO_CONTINUE}`);
    return clean
      ? storeDamaged(files.data, `${lost}; ${HOW_TO_CONTINUE}`)
      : storeDamaged(files.log, `it does not exist, and ${lost}; ${HOW_TO_CONTINUE}`);
  }
  if (isBroken && mark.durability === 'always') {
    const unreadable = `${printAmount(log.commitsAfterBreak, 'commit')}${breaks} cannot be read`;
    return storeDamaged(files.log, `${unreadable}; ${HOW_TO_CONTINUE}`);
  }
  return undefined;
}

/**
 * The sequence after which the store continues. With durability `relaxed` a power cut may have lost
 * commits whose versions clients know; those are not used again.
 */
export function nextSequence({ mark }: RecoveryState, { clean, sequence }: StoreRow): number {
  return clean || mark?.durability !== 'relaxed'
    ? sequence
    : Math.max(sequence, mark.sequence) + UNKNOWN_COMMITS;
}

/** Notices for the operator about a store that was recovered. */
export function describeRecovery(
  files: Pick<StoreFiles, 'data' | 'log'>,
  { isLogDropped, mark }: RecoveryState,
  { sequence }: StoreRow,
): readonly string[] {
  const dropped = `${files.log} was damaged, and dropped: the data file has all of its commits`;
  const lost =
    mark !== undefined && sequence < mark.sequence
      ? `commits ${sequence + 1} to ${mark.sequence} are missing from ${files.data}: they were acknowledged with durability relaxed, and not synced`
      : undefined;
  return [...(isLogDropped === true ? [dropped] : []), ...(lost === undefined ? [] : [lost])];
}
