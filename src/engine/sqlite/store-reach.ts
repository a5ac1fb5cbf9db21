// Checks whether a store reaches as far as its mark says, however the last run ended. Missing
// commits are reported, and never passed over.

import { existsSync, rmSync } from 'node:fs';
import { type EngineError, storeDamaged } from '../errors.ts';
import type { StoreFiles } from './store-files.ts';
import { type Mark, readMark } from './store-mark.ts';
import { type LogState, readLog } from './write-ahead-log.ts';

/** Commits that a power cut can take with durability `relaxed`, which no mark records. */
const UNKNOWN_COMMITS = 2 ** 24;
const HOW_TO_GO_ON = 'gridkeep accept-loss goes on without them';

/** The state of the files before SQLite opens them. */
export interface Reach {
  readonly mark: Mark | undefined;
  readonly log: LogState | undefined;
  readonly hasLogFile: boolean;
  /** A log that was damaged, and needed no more, is gone. */
  readonly isLogDropped?: boolean;
}

/** To be called before the store is read: beside a running server the mark must not be newer. */
export function readReach(files: Pick<StoreFiles, 'log' | 'mark'>): Reach {
  const mark = readMark(files.mark);
  const log = readLog(files.log);
  // A server that commits meanwhile writes frames where others were read already.
  const isSteady = readMark(files.mark)?.sequence === mark?.sequence;
  return { mark, log: isSteady ? log : undefined, hasLogFile: existsSync(files.log) };
}

/**
 * Whether the log is broken, and not needed: every frame it ever had is in the data file. SQLite
 * would copy the frames before the break over pages that are newer.
 */
export function isLogSettled({ log, mark }: Reach): boolean {
  const settled = mark?.settled;
  return (
    settled !== undefined &&
    log !== undefined &&
    log.salts === settled.salts &&
    log.soundFrames < settled.frames &&
    log.lastFrame <= settled.frames
  );
}

/** Removes a log that is settled and broken; the store is then as of its last commit. */
export function dropSettledLog(files: StoreFiles, reach: Reach): Reach {
  if (!isLogSettled(reach)) return reach;
  rmSync(files.log);
  return { ...reach, log: undefined, hasLogFile: false, isLogDropped: true };
}

export interface Reached {
  readonly sequence: number;
  /** Whether the data file says that the last stop was clean. */
  readonly clean: boolean;
}

/** Names what is missing; undefined when the store is complete. */
export function findMissing(
  files: Pick<StoreFiles, 'data' | 'log' | 'mark'>,
  reach: Reach,
  { clean, sequence }: Reached,
): EngineError | undefined {
  const { hasLogFile, log, mark } = reach;
  const isBroken = log !== undefined && log.commitsBehind > 1;
  if (mark === undefined) {
    if (clean || (log !== undefined && log.soundFrames > 0 && !isBroken)) return undefined;
    return storeDamaged(
      files.data,
      `it was not stopped cleanly, and neither ${files.log} nor ${files.mark} says how far it came; ${HOW_TO_GO_ON}`,
    );
  }
  const breaks = log === undefined ? '' : ` behind frame ${log.soundFrames}`;
  if (sequence < mark.synced) {
    const lost = `the acknowledged commits ${sequence + 1} to ${mark.synced} are missing`;
    if (hasLogFile) return storeDamaged(files.log, `${lost}${breaks}; ${HOW_TO_GO_ON}`);
    return clean
      ? storeDamaged(files.data, `${lost}; ${HOW_TO_GO_ON}`)
      : storeDamaged(files.log, `it is not there, and ${lost}; ${HOW_TO_GO_ON}`);
  }
  if (isBroken && mark.durability === 'always') {
    const behind = `${log.commitsBehind} commits${breaks} cannot be read`;
    return storeDamaged(files.log, `${behind}; ${HOW_TO_GO_ON}`);
  }
  return undefined;
}

/**
 * The number after which the store goes on counting. With durability `relaxed` a power cut may
 * have taken commits whose versions clients know; they are not given again.
 */
export function nextSequence({ mark }: Reach, { clean, sequence }: Reached): number {
  return clean || mark?.durability !== 'relaxed'
    ? sequence
    : Math.max(sequence, mark.sequence) + UNKNOWN_COMMITS;
}

/** A notice for the operator about a store that is served again. */
export function describeRecovery(
  files: Pick<StoreFiles, 'data' | 'log'>,
  { isLogDropped, mark }: Reach,
  { sequence }: Reached,
): readonly string[] {
  const dropped = `${files.log} was damaged, and dropped: all of it is in the data file`;
  const lost =
    mark !== undefined && sequence < mark.sequence
      ? `commits ${sequence + 1} to ${mark.sequence} are missing from ${files.data}: they were acknowledged with durability relaxed, and not synced`
      : undefined;
  return [...(isLogDropped === true ? [dropped] : []), ...(lost === undefined ? [] : [lost])];
}
