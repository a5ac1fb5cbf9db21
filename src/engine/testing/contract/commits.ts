// Makes commits, and collects those that listeners and the log report.

import assert from 'node:assert/strict';
import type { Change, Commit, Engine, RecordedChange, Region } from '../../engine.ts';

export function put(key: string, value: string): Change {
  return { kind: 'put', key, value };
}

/** Writes without guards; returns the version. */
export async function commit(region: Region, changes: readonly Change[]): Promise<number> {
  const outcome = await region.write(changes);
  assert.equal(outcome.kind, 'committed');
  return outcome.kind === 'committed' ? outcome.version : Number.NaN;
}

export function record(engine: Engine): Commit[] {
  const commits: Commit[] = [];
  engine.subscribe({
    onCommit: (commit) => commits.push(commit),
    onReset: () => assert.fail('nothing is missed'),
  });
  return commits;
}

/** The changes after a commit, without their times. */
export async function changesAfter(
  engine: Engine,
  sequence: number,
  limit: number,
): Promise<readonly Omit<RecordedChange, 'atMs'>[]> {
  const outcome = await engine.readChanges(sequence, limit);
  assert.equal(outcome.kind, 'changes');
  return outcome.kind === 'changes' ? outcome.changes.map(({ atMs, ...change }) => change) : [];
}
