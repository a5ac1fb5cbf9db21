// Runs two engines with the same calls. Every answer, every commit that listeners receive and every
// open snapshot must be equal. One is the memory engine, in effect a `Map`, which serves as oracle.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type {
  Change,
  Commit,
  CommitEnd,
  Engine,
  KeyRange,
  Region,
  RegionWrite,
  Snapshot,
  WriteGuard,
} from '../engine.ts';
import { EngineError } from '../errors.ts';
import { toTexts } from '../joined-texts.ts';
import { UNUSUAL_KEYS } from './unusual-keys.ts';

export type MirrorCommand =
  | { readonly kind: 'create'; readonly region: string; readonly type: 'REPLICATE' | 'EMPTY' }
  | { readonly kind: 'destroy' | 'clear' | 'open'; readonly region: string }
  | { readonly kind: 'add-index' | 'drop-index'; readonly region: string; readonly name: string }
  | {
      readonly kind: 'write';
      readonly region: string;
      readonly changes: readonly Change[];
      readonly guards: readonly WriteGuard[];
    }
  | {
      readonly kind: 'commit';
      readonly writes: readonly RegionWrite[];
      readonly end: CommitEnd;
    }
  | { readonly kind: 'read'; readonly region: string; readonly keys: readonly string[] }
  | { readonly kind: 'read-together'; readonly region: string; readonly keys: readonly string[] }
  | { readonly kind: 'read-first'; readonly region: string; readonly limit: number }
  | (KeyRange & { readonly kind: 'scan'; readonly region: string })
  | { readonly kind: 'changes'; readonly after: number; readonly limit: number }
  | { readonly kind: 'hold-snapshot' | 'look-at-snapshots' | 'describe' | 'reopen' };

/** One of the two engines, with its open snapshots and one handle of each region, stale or not. */
interface Side {
  engine: Engine;
  readonly regions: Map<string, Region>;
  snapshots: Snapshot[];
  readonly commits: Commit[];
}

/** A server of the model and one of the subject, which get the same calls. */
interface Pair {
  readonly model: Side;
  readonly subject: Side;
}

export class MirrorEngine {
  readonly #pairs: readonly Pair[];
  readonly #reopenSubject: ((closed: Engine) => Promise<Engine>) | undefined;

  /** Several subjects are several servers of one store. */
  constructor(
    model: Engine,
    subjects: readonly Engine[],
    reopenSubject?: (closed: Engine) => Promise<Engine>,
  ) {
    this.#pairs = subjects.map((subject) => ({
      model: createSide(model),
      subject: createSide(subject),
    }));
    this.#reopenSubject = reopenSubject;
  }

  /** Runs the command on both, through one of the servers, and fails when anything differs. */
  async run(command: MirrorCommand, server = 0): Promise<void> {
    const pair = this.#pairs[server % this.#pairs.length];
    if (pair === undefined) throw new Error('There is no server');
    const { model, subject } = pair;
    if (command.kind === 'reopen') await this.#reopen(pair);
    const expected = await settle(perform(model, command));
    const actual = await settle(perform(subject, command));
    assert.deepEqual(actual, expected);
    await subject.engine.catchUp();
    assert.deepEqual(subject.commits, model.commits);
    assert.equal(subject.engine.stats().sequence, model.engine.stats().sequence);
  }

  /** Asserts that all servers have received the same commits. */
  async compareCommits(): Promise<void> {
    for (const { model, subject } of this.#pairs) {
      await subject.engine.catchUp();
      assert.deepEqual(subject.commits, model.commits);
    }
  }

  async close(): Promise<void> {
    for (const { model, subject } of this.#pairs) {
      await model.engine.close();
      await subject.engine.close();
    }
  }

  async #reopen({ model, subject }: Pair): Promise<void> {
    // Handles and snapshots end with an engine, so the model drops its own too.
    for (const side of [model, subject]) {
      for (const snapshot of side.snapshots) snapshot.close();
      side.snapshots = [];
      side.regions.clear();
    }
    if (this.#reopenSubject === undefined) return;
    await subject.engine.close();
    subject.engine = await this.#reopenSubject(subject.engine);
    listen(subject);
  }
}

function createSide(engine: Engine): Side {
  const side = { engine, regions: new Map(), snapshots: [], commits: [] };
  listen(side);
  return side;
}

function listen(side: Side): void {
  side.engine.subscribe({
    onCommit: (commit) => side.commits.push(commit),
    onReset: () => assert.fail('nothing is missed'),
  });
}

/** Turns an error into an answer, represented by its code. */
async function settle(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof EngineError) return { error: error.code };
    throw error;
  }
}

async function perform(side: Side, command: MirrorCommand): Promise<unknown> {
  const { engine } = side;
  switch (command.kind) {
    case 'create': {
      const { region, type } = command;
      return engine.createRegion({
        name: region,
        type,
        keyConstraint: null,
        valueConstraint: 'Order',
      });
    }
    case 'destroy':
      return engine.destroyRegion(command.region);
    case 'open': {
      const region = await engine.openRegion(command.region);
      if (region !== undefined) side.regions.set(command.region, region);
      return region?.definition;
    }
    case 'clear':
      return (await handle(side, command.region))?.clear();
    case 'add-index': {
      const { region, name } = command;
      // Two of the three names have the same content.
      const expression = name === 'k' ? 'o.k' : 'o.n';
      return engine.addIndex(region, { name, kind: 'range', expression, from: `/${region} o` });
    }
    case 'drop-index':
      return engine.dropIndex(command.region, command.name);
    case 'write':
      return (await handle(side, command.region))?.write(command.changes, command.guards);
    case 'commit':
      return engine.commit(command.writes, command.end);
    case 'read':
      return (await handle(side, command.region))?.read(command.keys);
    case 'read-together': {
      const found = await (await handle(side, command.region))?.readTogether(command.keys);
      return found && { versions: found.versions, values: Buffer.from(found.values).toString() };
    }
    case 'read-first': {
      const batch = await (await handle(side, command.region))?.readFirst(command.limit);
      return batch && { keys: batch.keys, values: Buffer.from(batch.values).toString() };
    }
    case 'scan': {
      const { kind, region, ...range } = command;
      const snapshot = await engine.openSnapshot();
      try {
        return await collect(snapshot, region, range);
      } finally {
        snapshot.close();
      }
    }
    case 'changes':
      return readWithoutTimes(engine, command.after, command.limit);
    case 'hold-snapshot':
      side.snapshots.push(await engine.openSnapshot());
      return undefined;
    case 'look-at-snapshots':
      return lookAt(side);
    case 'describe':
    case 'reopen':
      return engine.describeRegions();
  }
}

/** The recorded changes, with the value of each put that the entry still has. */
async function readWithoutTimes(engine: Engine, after: number, limit: number): Promise<unknown> {
  const outcome = await engine.readChanges(after, limit, { values: 'kept' });
  if (outcome.kind === 'gone') return outcome;
  const changes: unknown[] = [];
  for (const { atMs, value, ...change } of outcome.changes) {
    const region = change.kind === 'put' ? await engine.openRegion(change.region) : undefined;
    const [entry] = (await region?.read([change.key ?? ''])) ?? [];
    // Some logs store values of overwritten entries; those are not compared.
    changes.push(entry?.version === change.sequence ? { ...change, value } : change);
  }
  return { ...outcome, changes };
}

/** The handle that was opened last by an `open` command, or else by the first use. */
async function handle(side: Side, name: string): Promise<Region | undefined> {
  const known = side.regions.get(name);
  if (known !== undefined) return known;
  const region = await side.engine.openRegion(name);
  if (region !== undefined) side.regions.set(name, region);
  return region;
}

async function lookAt(side: Side): Promise<unknown> {
  const seen: unknown[] = [];
  for (const snapshot of side.snapshots) {
    for (const region of REGIONS) {
      seen.push(snapshot.sequence, snapshot.count(region));
      seen.push(await collect(snapshot, region, {}), await snapshot.read(region, KEYS));
    }
    snapshot.close();
  }
  side.snapshots = [];
  return seen;
}

async function collect(snapshot: Snapshot, region: string, range: KeyRange): Promise<unknown> {
  const entries: (readonly [string, string])[] = [];
  for await (const batch of snapshot.scan(region, range, 'entries'))
    entries.push(...toTexts(batch));
  const keys: string[] = [];
  for await (const batch of snapshot.scan(region, range, 'keys')) keys.push(...batch);
  return { entries, keys };
}

const REGIONS = ['orders', 'items', 'B'];
const KEYS = [...UNUSUAL_KEYS.slice(0, 30), 'a1', 'a2', 'a3', 'a4', 'a5', 'a6'];

const region = fc.constantFrom(...REGIONS, 'orders', 'orders', 'orders');
const key = fc.constantFrom(...KEYS);
/** Sizes on both sides of the border between inline and large values, and far above it. */
const padding = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 800, max: 1000 }) },
  { weight: 2, arbitrary: fc.constant(9000) },
);
const value = fc
  .tuple(fc.integer(), fc.string({ unit: 'grapheme', maxLength: 40 }), padding)
  .map(([n, text, size]) => JSON.stringify({ n, text, pad: 'z'.repeat(size) }));
const versions = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 4 });
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('put' as const), key, value }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), key }) },
);
const guard: fc.Arbitrary<WriteGuard> = fc.oneof(
  fc.record({ kind: fc.constantFrom('all-present' as const, 'all-absent' as const) }),
  fc.record({
    kind: fc.constantFrom('version-is' as const, 'version-is-not' as const),
    key,
    versions,
  }),
  fc.record({ kind: fc.constantFrom('present' as const, 'absent' as const), key }),
);
const changes = fc.uniqueArray(change, { maxLength: 8, selector: (each) => each.key });
const guards = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(guard, { maxLength: 2 }) },
);
const write = fc.record({ kind: fc.constant('write' as const), region, changes, guards });
const commit = fc.record({
  kind: fc.constant('commit' as const),
  writes: fc.uniqueArray(
    fc.record({ region, changes, guards, reads: fc.array(key, { maxLength: 3 }) }),
    { maxLength: 3, selector: (each) => each.region },
  ),
  end: fc.constantFrom('keep' as const, 'keep' as const, 'roll-back' as const),
});
const limit = fc.integer({ min: 0, max: 12 });

/** Sequences of commands that begin by creating a region, for most commands need one. */
export const mirrorCommands: fc.Arbitrary<readonly MirrorCommand[]> = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: write },
      { weight: 6, arbitrary: commit },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('read' as const),
          region,
          keys: fc.array(key, { maxLength: 12 }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record(
          {
            kind: fc.constant('scan' as const),
            region,
            after: key,
            from: key,
            to: key,
            prefix: key.map((text) => text.slice(0, 1)),
            order: fc.constantFrom('asc' as const, 'desc' as const),
            limit,
          },
          { requiredKeys: ['kind', 'region'] },
        ),
      },
      fc.record({
        kind: fc.constant('read-together' as const),
        region,
        keys: fc.array(key, { minLength: 1, maxLength: 4 }),
      }),
      fc.record({ kind: fc.constant('read-first' as const), region, limit }),
      fc.record({
        kind: fc.constant('create' as const),
        region,
        type: fc.constantFrom('REPLICATE' as const, 'EMPTY' as const),
      }),
      fc.record({ kind: fc.constantFrom('destroy' as const, 'clear' as const), region }),
      fc.record({ kind: fc.constant('open' as const), region }),
      fc.record({
        kind: fc.constantFrom('add-index' as const, 'drop-index' as const),
        region,
        name: fc.constantFrom('i', 'j', 'k'),
      }),
      fc.record({ kind: fc.constant('changes' as const), after: fc.nat(20), limit }),
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constantFrom(
            'hold-snapshot' as const,
            'look-at-snapshots' as const,
            'describe' as const,
            'reopen' as const,
          ),
        }),
      },
    ),
    { minLength: 20, maxLength: 80 },
  )
  .map((commands) => [{ kind: 'create', region: 'orders', type: 'REPLICATE' }, ...commands]);
