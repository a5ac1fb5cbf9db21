import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { readLog } from './write-ahead-log.ts';

const FRAME_BYTES = 24 + 4096;
const root = mkdtempSync(join(tmpdir(), 'gridkeep-log-'));
const COMMITS = 12;
let log: Buffer;

before(() => {
  const file = join(root, 'model.db');
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0');
  database.exec('CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT)');
  for (let commit = 1; commit < COMMITS; commit += 1) {
    // Each commit writes at least two pages.
    database.prepare('INSERT INTO t VALUES(?, ?)').run(commit, 'x'.repeat(3000));
  }
  copyFileSync(`${file}-wal`, join(root, 'model'));
  log = readFileSync(join(root, 'model'));
  database.close();
});

after(() => rmSync(root, { recursive: true, force: true }));

function readChanged(change: (bytes: Buffer) => Buffer): ReturnType<typeof readLog> {
  const file = join(root, 'changed');
  writeFileSync(file, change(Buffer.from(log)));
  return readLog(file);
}

/** Numbers of the frames that end a commit. */
function commitFrames(): readonly number[] {
  return Array.from({ length: (log.length - 32) / FRAME_BYTES }, (_, i) => i + 1).filter(
    (frame) => log.readUInt32BE(32 + (frame - 1) * FRAME_BYTES + 4) !== 0,
  );
}

describe('a write-ahead log', () => {
  it('has only valid frames as SQLite writes it', () => {
    const state = readChanged((bytes) => bytes);
    const frames = (log.length - 32) / FRAME_BYTES;
    assert.equal(commitFrames().length, COMMITS);
    assert.deepEqual(
      [state?.soundFrames, state?.lastFrame, state?.commitsAfterBreak],
      [frames, frames, 0],
    );
  });

  it('is valid up to any flipped bit, and counts the commits after it', () => {
    for (let at = 40; at < log.length; at += 997) {
      const frame = Math.floor((at - 32) / FRAME_BYTES) + 1;
      const state = readChanged((bytes) => flip(bytes, at));
      assert.equal(state?.soundFrames, frame - 1, `byte ${at}`);
      const later = commitFrames().filter((it) => it > frame).length;
      // A flipped checksum invalidates the next frame too, which continues it.
      assert.ok(
        state.commitsAfterBreak <= later && state.commitsAfterBreak >= later - 1,
        `byte ${at}`,
      );
    }
  });

  it('has no commits after its end when it was truncated or its end was torn', () => {
    for (let at = 33; at < log.length; at += 1511) {
      const frames = Math.floor((at - 32) / FRAME_BYTES);
      const cut = readChanged((bytes) => bytes.subarray(0, at));
      assert.deepEqual([cut?.soundFrames, cut?.commitsAfterBreak], [frames, 0], `cut at ${at}`);
      const torn = readChanged((bytes) => bytes.fill(0xa5, at));
      assert.deepEqual([torn?.soundFrames, torn?.commitsAfterBreak], [frames, 0], `torn at ${at}`);
    }
  });

  it('has at most one commit after a last write that reached the disk in part', () => {
    const [last = 0, previous = 0] = commitFrames().toReversed();
    for (let frame = previous + 1; frame <= last; frame += 1) {
      const at = 32 + (frame - 1) * FRAME_BYTES;
      const state = readChanged((bytes) => bytes.fill(0, at, at + FRAME_BYTES));
      assert.equal(state?.soundFrames, frame - 1);
      assert.ok(state.commitsAfterBreak <= 1);
    }
  });

  it('ignores the frames of an earlier generation', () => {
    const file = join(root, 'again.db');
    const database = new DatabaseSync(file);
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t(text TEXT)');
    for (let n = 0; n < 5; n += 1) database.exec(`INSERT INTO t VALUES('${n}')`);
    const first = readLog(`${file}-wal`);
    database.exec('PRAGMA wal_checkpoint(RESTART)');
    database.exec(`INSERT INTO t VALUES('last')`);
    const second = readLog(`${file}-wal`);
    database.close();
    assert.notEqual(first?.salts, second?.salts);
    assert.deepEqual(
      [second?.soundFrames, second?.lastFrame, second?.commitsAfterBreak],
      [1, 1, 0],
    );
  });

  it('is undefined when it is empty, missing, or has another header', () => {
    assert.equal(readLog(join(root, 'nowhere')), undefined);
    assert.equal(
      readChanged(() => Buffer.alloc(0)),
      undefined,
    );
    assert.equal(
      readChanged((bytes) => bytes.fill(0, 0, 32)),
      undefined,
    );
  });
});

function flip(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] ?? 0) ^ 0x10;
  return bytes;
}
