// Several servers over one store: one of them removes expired entries, and another takes over when it
// fails.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CommitEnd, Engine, RegionWrite } from '../engine/engine.ts';
import { storeUnreachable } from '../engine/errors.ts';
import { MemoryEngine } from '../engine/memory/memory-engine.ts';
import { createLateEngine } from '../engine/testing/late-engine.ts';
import { plainRegion } from '../engine/testing/plain-region.ts';
import { Expiry } from './expiry.ts';
import { commitWithExpiry, toExpiryWrite } from './expiry-records.ts';
import { UniqueRules } from './unique/unique-rules.ts';

const TTL_MS = 1000;
/** After this time another server takes over. */
const LEASE_MS = 5000;

/** A store that any number of servers share. */
class SharedStore {
  readonly engine: MemoryEngine;
  nowMs = Date.parse('2026-03-01T12:00:00Z');
  /** Entries that each server removed. */
  readonly removed = new Map<string, number>();

  static async open(): Promise<SharedStore> {
    const store = new SharedStore();
    await store.engine.createRegion(plainRegion('sessions'));
    return store;
  }

  private constructor() {
    const servers: readonly string[] = ['http://a', 'http://b'];
    this.engine = Object.assign(new MemoryEngine(), { listServers: () => servers });
  }

  async openServer(url: string, engine: Engine = this.engine): Promise<Expiry> {
    const expiry = new Expiry({
      engine,
      unique: new UniqueRules(this.engine),
      wallClock: () => this.nowMs,
      servers: () => [url],
      observe: (observation) => {
        if (observation.kind !== 'entries-expired') return;
        this.removed.set(url, (this.removed.get(url) ?? 0) + observation.entries);
      },
    });
    await expiry.open();
    return expiry;
  }

  /** Entries that are due a second from now. */
  async put(keys: readonly string[]): Promise<void> {
    const entries = keys.map((key) => ({ key, ttlMs: TTL_MS }));
    const records = toExpiryWrite(plainRegion('sessions'), entries, this.nowMs);
    const changes = keys.map((key) => ({ kind: 'put' as const, key, value: '{}' }));
    const writes = [{ region: 'sessions', changes }, ...(records === undefined ? [] : [records])];
    const outcome = await commitWithExpiry(this.engine, writes);
    assert.equal(outcome.kind, 'committed');
  }

  async count(): Promise<number> {
    return (await (await this.engine.openRegion('sessions'))?.count()) ?? 0;
  }

  /** Keys of all removals, sorted; one that was removed twice is there twice. */
  async expired(): Promise<readonly string[]> {
    const outcome = await this.engine.readChanges(0, 100_000);
    assert.ok(outcome.kind === 'changes');
    return outcome.changes
      .flatMap((change) =>
        change.region === 'sessions' && change.kind === 'expire' ? [change.key ?? ''] : [],
      )
      .sort();
  }
}

function keysOf(name: string, length: number): readonly string[] {
  return Array.from({ length }, (_, i) => `${name}${i}`).sort();
}

describe('several servers that sweep one store', () => {
  it('remove each entry once, however many sweep at the same time', async () => {
    const store = await SharedStore.open();
    const servers = [await store.openServer('http://a'), await store.openServer('http://b')];
    const all: string[] = [];
    for (const round of ['x', 'y', 'z']) {
      const keys = keysOf(round, 1200);
      all.push(...keys);
      await store.put(keys);
      store.nowMs += TTL_MS;
      await Promise.all(servers.map((server) => server.sweep()));
      assert.equal(await store.count(), 0);
    }
    assert.deepEqual(await store.expired(), all.sort());
    // The holder of the lease keeps it: the other one removed nothing.
    assert.deepEqual([...store.removed.values()], [3600]);
  });

  it('let another server take over when the holder of the lease has gone', async () => {
    const store = await SharedStore.open();
    const first = await store.openServer('http://a');
    const second = await store.openServer('http://b');
    await store.put(['a']);
    store.nowMs += TTL_MS;
    await first.sweep();
    await second.sweep();
    assert.deepEqual([...store.removed], [['http://a', 1]]);

    await first.close();
    await store.put(['b', 'c']);
    store.nowMs += TTL_MS;
    await second.sweep();
    assert.equal(await store.count(), 2, 'the lease of the first one still runs');
    store.nowMs += LEASE_MS;
    await second.sweep();
    assert.equal(await store.count(), 0);
    assert.deepEqual(await store.expired(), ['a', 'b', 'c']);
    assert.equal(store.removed.get('http://b'), 2);
  });

  it('remove an entry once that was written several times before it was due', async () => {
    const store = await SharedStore.open();
    const written: string[] = [];
    const engine = new Proxy(store.engine, {
      get(target, property) {
        const member: unknown = Reflect.get(target, property);
        if (typeof member !== 'function') return member;
        if (property !== 'commit') return member.bind(target);
        return (writes: readonly RegionWrite[], end?: CommitEnd) => {
          for (const { changes, region } of writes) {
            for (const { key } of changes) written.push(`${region} ${key}`);
          }
          return target.commit(writes, end);
        };
      },
    });
    const server = await store.openServer('http://a', engine);
    await store.put(['a', 'b']);
    await store.put(['a']);
    store.nowMs += TTL_MS;
    await server.sweep();
    const expected = ['_expiry sessions/a', '_expiry sessions/b', 'sessions a', 'sessions b'];
    assert.deepEqual(written.sort(), expected);
    assert.equal(store.removed.get('http://a'), 2);
  });

  it('have finished when they report it, also if another sweep was running', async () => {
    const store = await SharedStore.open();
    const server = await store.openServer('http://a');
    await store.put(keysOf('x', 1200));
    store.nowMs += TTL_MS;
    const earlier = server.sweep();
    await server.sweep();
    assert.equal(await store.count(), 0);
    await earlier;
  });
});

describe('a server that missed commits', () => {
  it('knows at once when entries expire, and removes them after a failed attempt to read the records', async () => {
    const store = await SharedStore.open();
    const late = createLateEngine(store.engine);
    let isDown = false;
    const engine = new Proxy(late.engine, {
      get(target, property) {
        if (property !== 'openSnapshot' || !isDown) return Reflect.get(target, property);
        return () => Promise.reject(storeUnreachable('down'));
      },
    });
    const server = await store.openServer('http://a', engine);
    await store.put(['a']);
    late.loseCommits();
    const sessions = await engine.openRegion('sessions');
    const [entry] = (await sessions?.read(['a'])) ?? [];
    assert.equal(await server.find('sessions', 'a', entry?.version ?? 0), store.nowMs + TTL_MS);

    store.nowMs += TTL_MS;
    isDown = true;
    await assert.rejects(server.sweep(), { code: 'engine/unreachable' });
    isDown = false;
    await server.sweep();
    assert.deepEqual(await store.expired(), ['a']);
  });
});
