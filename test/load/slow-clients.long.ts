// L3 and L4: slow clients.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TemporaryDirectory } from '../faults/directory.ts';
import { pickSize } from '../faults/sizes.ts';
import { runConnections } from './connections.ts';
import { runSlowReaders } from './slow-readers.ts';

describe('L3 connections', () => {
  const size = pickSize({
    quick: {
      idle: 100,
      slowHeaders: 20,
      slowBodies: 20,
      waitMs: 30_000,
      trickleMs: 100,
      flags: ['--limits-headers-timeout-ms', '500', '--limits-timeout-check-interval-ms', '100'],
    },
    short: { idle: 1_000, slowHeaders: 200, slowBodies: 200, waitMs: 30_000, trickleMs: 1_000 },
  });

  it('closes slow ones, and serves the others meanwhile', async (t) => {
    const figures = await runConnections(size);
    t.diagnostic(JSON.stringify(figures));
    assert.deepEqual(
      [figures.closedSlowHeaders, figures.closedSlowBodies],
      [size.slowHeaders, size.slowBodies],
    );
    assert.deepEqual(figures.pingStatuses, [200]);
  });
});

describe('L4 slow readers', () => {
  const size = pickSize({
    quick: {
      readers: 4,
      mebibytes: 16,
      writesPerSecond: 50,
      waitMs: 60_000,
      flags: ['--limits-stalled-reader-timeout-ms', '1000'],
    },
    short: {
      readers: 8,
      mebibytes: 50,
      writesPerSecond: 50,
      waitMs: 60_000,
      flags: ['--limits-stalled-reader-timeout-ms', '8000'],
    },
  });

  it('disconnects them, and uses little memory and disk for them', async (t) => {
    using directory = new TemporaryDirectory();
    const figures = await runSlowReaders({ data: directory.join('data'), ...size });
    t.diagnostic(JSON.stringify(figures));
    assert.equal(figures.cutOff, size.readers);
    assert.ok(figures.writes > 0);
    assert.ok(figures.memoryGrowthMiB <= 64, `memory grew by ${figures.memoryGrowthMiB} MiB`);
    assert.ok(figures.fileGrowth <= 0.2, `the file grew by ${figures.fileGrowth * 100} %`);
  });
});
