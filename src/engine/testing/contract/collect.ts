// Reads a region of a snapshot into arrays, with every kind of scan, and compares them.

import assert from 'node:assert/strict';
import type { JoinedTexts } from '../../../value/entry-bytes.ts';
import type { Engine, FirstEntries, KeyRange, Snapshot } from '../../engine.ts';
import { splitValues } from '../../joined-texts.ts';

export async function withSnapshot(
  engine: Engine,
  use: (snapshot: Snapshot) => Promise<void>,
): Promise<void> {
  const snapshot = await engine.openSnapshot();
  try {
    await use(snapshot);
  } finally {
    snapshot.close();
  }
}

export function toEntries(first: FirstEntries): [string, string][] {
  const values = splitValues(first.values);
  assert.equal(values.length, first.keys.length, 'one value per key');
  return first.keys.map((key, i) => [key, values[i] ?? '']);
}

export async function collect(
  snapshot: Snapshot,
  region: string,
  range: KeyRange = {},
): Promise<[string, string][]> {
  const entries: [string, string][] = [];
  const alone = await collectValues(snapshot, region, range);
  for await (const { keys, release, values } of snapshot.scan(region, range, 'entries')) {
    assert.equal(keys.ends.length, values.ends.length, 'one value per key');
    assert.equal(keys.ends.at(-1), keys.bytes.length);
    assert.equal(values.ends.at(-1), values.bytes.length);
    for (let i = 0; i < keys.ends.length; i += 1) {
      entries.push([textAt(keys, i), textAt(values, i)]);
    }
    // Later batches have their own memory.
    release?.();
  }
  const values = entries.map(([, value]) => value).join(',');
  assert.equal(alone, values, 'values alone agree');
  // A second time, because an engine may have cached something in between.
  assert.equal(await collectValues(snapshot, region, range), values, 'and stay the same');
  return entries;
}

export async function collectValues(
  snapshot: Snapshot,
  region: string,
  range: KeyRange = {},
): Promise<string> {
  const batches: string[] = [];
  for await (const batch of snapshot.scan(region, range, 'values')) {
    assert.ok(batch.length > 0, 'no batch is empty');
    batches.push(Buffer.from(batch).toString('utf8'));
  }
  return batches.join(',');
}

export async function collectKeys(
  snapshot: Snapshot,
  region: string,
  range: KeyRange = {},
): Promise<string[]> {
  const keys: string[] = [];
  for await (const batch of snapshot.scan(region, range, 'keys')) keys.push(...batch);
  return keys;
}

function textAt({ bytes, ends }: JoinedTexts, index: number): string {
  const start = index === 0 ? 0 : (ends[index - 1] ?? 0) + 1;
  return Buffer.from(bytes.subarray(start, ends[index])).toString('utf8');
}
