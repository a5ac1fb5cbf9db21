import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CHUNK_BITS, CHUNK_ROWS } from '../value/column-data.ts';
import { RowDirectory } from './row-directory.ts';

/** Rows that are loaded before the first commit. */
const SIZES = [0, 1, 15, 16, 17, 200, CHUNK_ROWS - 3, CHUNK_ROWS + 5];

interface Life {
  born: number;
  died: number;
}

describe('the lifetimes of rows', () => {
  it('are those of a plain list, in small tables and in tables of several chunks', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SIZES), fc.array(fc.nat(), { maxLength: 60 }), expectLives),
    );
  });

  it('take little memory in a small table', () => {
    const rows = new RowDirectory();
    rows.appendAll(keysBelow(3));
    const before = rows.sizeBytes();
    rows.kill(1, 5);
    assert.ok(rows.sizeBytes() - before <= 1024, `${rows.sizeBytes() - before} bytes`);
  });
});

/** Compares a directory with a plain list after commits, each of which ends or adds a row. */
function expectLives(loaded: number, chosen: readonly number[]): void {
  const rows = new RowDirectory();
  rows.appendAll(keysBelow(loaded));
  const lives: Life[] = Array.from({ length: loaded }, () => ({ born: 0, died: Infinity }));
  for (const [index, choice] of chosen.entries()) {
    const commit = index + 1;
    const row = choice % (lives.length + 3);
    const life = lives[row];
    if (life === undefined) {
      assert.equal(rows.appendBorn(`late-${commit}`, commit), lives.length);
      lives.push({ born: commit, died: Infinity });
    } else if (life.died === Infinity) {
      rows.kill(row, commit);
      life.died = commit;
    }
  }
  for (const sequence of [0, 1, chosen.length >> 1, chosen.length]) {
    const alive = lives.map(({ born, died }) => born <= sequence && sequence < died);
    assert.deepEqual(
      lives.map((_, row) => rows.isAlive(row, sequence)),
      alive,
    );
    assert.equal(rows.countAlive(sequence), alive.filter(Boolean).length);
    for (let chunk = 0; chunk < rows.chunkCount(); chunk += 1) {
      const expected = alive.slice(chunk << CHUNK_BITS, (chunk + 1) << CHUNK_BITS);
      const visible = rows.visibleRows(chunk, sequence);
      if (visible === undefined) assert.ok(expected.every(Boolean));
      else assert.deepEqual([...visible], expected.map(Number));
    }
  }
}

function nameOf(index: number): string {
  return `key-${String(index).padStart(6, '0')}`;
}

function keysBelow(count: number): { bytes: Uint8Array; ends: Uint32Array } {
  const names = Array.from({ length: count }, (_, index) => nameOf(index));
  const width = nameOf(0).length;
  return {
    bytes: new TextEncoder().encode(names.map((name) => `${name}\n`).join('')),
    ends: Uint32Array.from(names, (_, index) => index * (width + 1) + width),
  };
}
