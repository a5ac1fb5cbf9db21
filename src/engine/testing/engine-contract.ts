// The contract of the engine port: a test for each of its promises, run against every engine. The
// test file of an adapter calls `engineContract` with functions that open and reopen it.

import { describe } from 'node:test';
import { changeContract } from './contract/change-contract.ts';
import { changePageContract } from './contract/change-page-contract.ts';
import { closeContract } from './contract/close-contract.ts';
import { commitContract } from './contract/commit-contract.ts';
import { completeChangesContract } from './contract/complete-changes-contract.ts';
import { entryContract } from './contract/entry-contract.ts';
import { guardContract } from './contract/guard-contract.ts';
import type { EngineHarness } from './contract/harness.ts';
import { historyContract } from './contract/history-contract.ts';
import { listenerContract } from './contract/listener-contract.ts';
import { rangeContract } from './contract/range-contract.ts';
import { readContract } from './contract/read-contract.ts';
import { regionContract } from './contract/region-contract.ts';
import { reopenContract } from './contract/reopen-contract.ts';
import { scanContract } from './contract/scan-contract.ts';
import { severalServersContract } from './contract/several-servers-contract.ts';
import { snapshotContract } from './contract/snapshot-contract.ts';
import { writeContract } from './contract/write-contract.ts';

export function engineContract(name: string, harness: EngineHarness): void {
  describe(name, () => {
    describe('regions', () => regionContract(harness));
    describe('reads', () => readContract(harness));
    describe('writes', () => writeContract(harness));
    describe('entries', () => entryContract(harness));
    describe('guards', () => guardContract(harness));
    describe('commits over several regions', () => commitContract(harness));
    describe('snapshots', () => snapshotContract(harness));
    describe('scans', () => scanContract(harness));
    describe('ranges', () => rangeContract(harness));
    describe('listeners', () => listenerContract(harness));
    describe('recorded changes', () => changeContract(harness));
    describe('recorded changes in pages', () => changePageContract(harness));
    describe('history', () => historyContract(harness));
    describe('recorded changes with history', () => completeChangesContract(harness));
    describe('closing', () => closeContract(harness));
    const { openAnother, reopen } = harness;
    if (openAnother !== undefined) {
      describe('several servers', () => severalServersContract(harness, openAnother));
    }
    if (reopen !== undefined) describe('reopening', () => reopenContract(harness, reopen));
  });
}
