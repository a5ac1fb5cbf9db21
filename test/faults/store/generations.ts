// The data that the load process writes and the crash tests verify.

import assert from 'node:assert/strict';
import type { Change, Engine, RegionWrite } from '../../../src/engine/engine.ts';

export const REGION = 'generations';
export const OTHER_REGION = 'others';
export const GROUPS = 6;
const KEYS_PER_GROUP = 8;

function groupChanges(group: number, generation: number): readonly Change[] {
  return Array.from({ length: KEYS_PER_GROUP }, (_, i) => ({
    kind: 'put',
    key: `g${group}-${i}`,
    // Sizes vary, so that pages split and overflow while it is killed.
    value: JSON.stringify({ generation, pad: 'p'.repeat((generation * 37 + i * 911) % 6000) }),
  }));
}

/** The writes of a group; every second group is one commit over two regions. */
export function groupWrites(group: number, generation: number): readonly RegionWrite[] {
  const changes = groupChanges(group, generation);
  if (group % 2 === 0) return [{ region: REGION, changes }];
  return [
    { region: REGION, changes: changes.slice(0, KEYS_PER_GROUP / 2) },
    { region: OTHER_REGION, changes: changes.slice(KEYS_PER_GROUP / 2) },
  ];
}

/** The last acknowledged generation of each group; 0 when there is none. */
export function parseAcknowledged(output: string): number[] {
  const acknowledged = Array.from({ length: GROUPS }, () => 0);
  // The kill may have truncated the last line.
  for (const line of output.split('\n').slice(0, -1)) {
    const [group = 0, generation = 0] = line.split(' ').map(Number);
    acknowledged[group] = generation;
  }
  return acknowledged;
}

export interface Damage {
  readonly lost: readonly string[];
  readonly torn: readonly string[];
}

/** Compares the store with the writes acknowledged before the crash. */
export async function findDamage(engine: Engine, acknowledged: readonly number[]): Promise<Damage> {
  const lost: string[] = [];
  const torn: string[] = [];
  for (const [group, generation] of acknowledged.entries()) {
    const found = new Set<number>();
    for (const { changes, region: name } of groupWrites(group, 0)) {
      const region = await engine.openRegion(name);
      const entries = (await region?.read(changes.map(({ key }) => key))) ?? [];
      for (const entry of entries) found.add(generationOf(entry?.value));
    }
    const lowest = Math.min(...found);
    if (found.size > 1) torn.push(`group ${group}: generations ${[...found].join(', ')}`);
    if (!(lowest >= generation)) lost.push(`group ${group}: ${generation}, found ${lowest}`);
  }
  await checkWhole(engine);
  return { lost, torn };
}

/** A full scan, counts and bytes must agree with each other. */
async function checkWhole(engine: Engine): Promise<void> {
  const snapshot = await engine.openSnapshot();
  for (const { name, entryCount, valueBytes } of await engine.describeRegions()) {
    let entries = 0;
    let bytes = 0;
    for await (const batch of snapshot.scan(name, {}, 'entries')) {
      const { bytes: values, ends } = batch.values;
      entries += ends.length;
      bytes += values.byteLength - (ends.length - 1);
    }
    assert.deepEqual({ entries, bytes }, { entries: entryCount, bytes: valueBytes });
  }
  snapshot.close();
}

function generationOf(value: string | undefined): number {
  return value === undefined ? 0 : Number(JSON.parse(value).generation);
}
