// Every kind of read through the engine's port, as named questions with comparable answers, and some
// writes. Two engines must give the same answers.

import type { Change, KeyRange, Region, Snapshot, WriteGuard } from '../../../src/engine/engine.ts';
import type { JoinedTexts } from '../../../src/value/entry-bytes.ts';
import type { TriedEngine } from './direct-store.ts';

export interface Question {
  readonly name: string;
  readonly ask: (engine: TriedEngine) => Promise<unknown>;
}

export interface Write {
  readonly name: string;
  readonly region: string;
  readonly change: Change;
  readonly guards: readonly WriteGuard[];
}

/** Every kind of read of these regions; `keys` are looked up in each, in this order. */
export function listQuestions(
  regions: readonly string[],
  keys: readonly string[],
): readonly Question[] {
  const after = keys[keys.length >> 1] ?? '';
  const ranges: readonly KeyRange[] = [
    {},
    { limit: 3 },
    { limit: 1000 },
    { after },
    { after, limit: 2 },
    { order: 'desc' },
    { order: 'desc', after, limit: 2 },
    { from: 'order-1', to: 'order-2' },
    { from: 'order-1', to: 'order-2', order: 'desc' },
    { prefix: after.slice(0, -1) },
    { prefix: 'absent' },
  ];
  return [
    { name: 'describe regions', ask: (engine) => engine.describeRegions() },
    ...[
      [0, 1000],
      [0, 3],
      [4, 1],
      [1000, 1],
    ].map(([sequence = 0, limit = 0]) => ({
      name: `changes after ${sequence}, ${limit}`,
      ask: (engine: TriedEngine) => engine.readChanges(sequence, limit),
    })),
    ...regions.flatMap((region) => [
      ...ranges.flatMap((range) => scansOf(region, range)),
      ...readsOf(region, keys),
    ]),
  ];
}

function scansOf(region: string, range: KeyRange): readonly Question[] {
  const what = `${region} ${JSON.stringify(range)}`;
  return [
    {
      name: `scan ${what}`,
      ask: onSnapshot(async (snapshot) => {
        const entries: string[] = [];
        for await (const batch of snapshot.scan(region, range, 'entries')) {
          entries.push(...split(batch.keys), ...split(batch.values));
        }
        return entries;
      }),
    },
    {
      name: `scan keys ${what}`,
      ask: onSnapshot(async (snapshot) => {
        const keys: string[] = [];
        for await (const batch of snapshot.scan(region, range, 'keys')) keys.push(...batch);
        return keys;
      }),
    },
  ];
}

function readsOf(region: string, keys: readonly string[]): readonly Question[] {
  const few = keys.slice(0, 3);
  return [
    ...[2, 1000].map((limit) => ({
      name: `scan ${limit} values of ${region}`,
      ask: onSnapshot(async (snapshot) => {
        const values: string[] = [];
        for await (const batch of snapshot.scan(region, { limit }, 'values')) {
          values.push(Buffer.from(batch).toString());
        }
        return values.join();
      }),
    })),
    { name: `count ${region}`, ask: onSnapshot(async (snapshot) => snapshot.count(region)) },
    { name: `read ${region}`, ask: onSnapshot((snapshot) => snapshot.read(region, keys)) },
    {
      name: `read a little of ${region}`,
      ask: onSnapshot(async (snapshot) => (await snapshot.read(region, keys, 1))[0]),
    },
    {
      name: `read the entries after the keys of ${region}`,
      ask: onSnapshot((snapshot) => snapshot.readNext(region, ['', ...keys])),
    },
    { name: `read few of ${region}`, ask: onRegion(region, async (each) => each.read(few)) },
    ...keys.map((key) => ({
      name: `read ${region} ${key}`,
      ask: onRegion(region, async (each) => each.read([key])),
    })),
    ...[3, 1000].map((limit) => ({
      name: `first ${limit} of ${region}`,
      ask: onRegion(region, async (each) => {
        const batch = await each.readFirst(limit);
        return [batch.keys, Buffer.from(batch.values).toString()];
      }),
    })),
    {
      name: `read ${region} together`,
      ask: onRegion(region, async (each) => {
        const found = (await each.read(keys)).flatMap((entry, i) => (entry && keys[i]) ?? []);
        const together = found.length === 0 ? undefined : await each.readTogether(found);
        return together && [together.versions, Buffer.from(together.values).toString()];
      }),
    },
  ];
}

/** A write of each kind, one after the other over all keys. */
export function listWrites(region: string, keys: readonly string[]): readonly Write[] {
  return keys.flatMap((key, i): readonly Write[] => {
    const value = JSON.stringify({ written: key.repeat(i) });
    const put = { kind: 'put', key, value } as const;
    const other = { kind: 'put', key: `${key}-`, value } as const;
    const write = (name: string, change: Change, guards: readonly WriteGuard[] = []): Write => ({
      name: `${name} ${key}`,
      region,
      change,
      guards,
    });
    switch (i % 5) {
      case 0:
        return [write('put', put)];
      case 1:
        return [write('remove', { kind: 'remove', key })];
      case 2:
        return [write('put if', put, [{ kind: 'version-is', key, versions: [2, 3, 4] }])];
      case 3:
        return [write('insert', other, [{ kind: 'all-absent' }]), write('put after', other)];
      default:
        return [
          write('remove after', { kind: 'remove', key: `${key}-` }),
          write('replace', put, [{ kind: 'all-present' }]),
          write('insert again', put, [{ kind: 'all-absent' }]),
        ];
    }
  });
}

export async function applyWrite(engine: TriedEngine, write: Write): Promise<unknown> {
  const region = await engine.openRegion(write.region);
  return region?.write([write.change], write.guards);
}

function onSnapshot(ask: (snapshot: Snapshot) => Promise<unknown>): Question['ask'] {
  return async (engine) => {
    const snapshot = await engine.openSnapshot();
    try {
      return [snapshot.sequence, await ask(snapshot)];
    } finally {
      snapshot.close();
    }
  };
}

function onRegion(name: string, ask: (region: Region) => Promise<unknown>): Question['ask'] {
  return async (engine) => {
    const region = await engine.openRegion(name);
    return region && [await region.count(), await ask(region)];
  };
}

function split({ bytes, ends }: JoinedTexts): readonly string[] {
  const text = (end: number, i: number): string =>
    Buffer.from(bytes.subarray(i === 0 ? 0 : (ends[i - 1] ?? 0) + 1, end)).toString();
  return [...ends].map(text);
}
