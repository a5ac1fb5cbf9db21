import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { INTEGER, MISSING, NULL, STRING } from '../../../../value/row-tags.ts';
import {
  CHUNK_ROWS,
  type ColumnChunk,
  type SourceColumn,
} from '../../../columnar/column-source.ts';
import { JoinedRows } from './frame.ts';

const NOTHING = { bytes: new Uint8Array(0), ends: new Uint32Array(0), size: 0 };
const DICTIONARY: SourceColumn['strings'] = {
  ...NOTHING,
  start: () => 0,
  text: () => '',
  find: () => undefined,
  findText: () => undefined,
};

/** Chunks of numbers, of strings and of nulls take turns. */
function createChunk(index: number): ColumnChunk {
  const kind = [INTEGER, STRING, NULL][index % 3] ?? NULL;
  const rows = Array.from({ length: CHUNK_ROWS }, (_, row) => index * CHUNK_ROWS + row);
  return {
    tags: new Uint8Array(CHUNK_ROWS).fill(kind),
    numbers: Float64Array.from(kind === INTEGER ? rows : []),
    ids: Uint32Array.from(kind === STRING ? rows : []),
    texts: new Uint32Array(0),
    mask: 1 << kind,
    filled: CHUNK_ROWS,
    lowest: kind === INTEGER ? index * CHUNK_ROWS : Number.POSITIVE_INFINITY,
    highest: kind === INTEGER ? (index + 1) * CHUNK_ROWS : Number.NEGATIVE_INFINITY,
    ensure: () => undefined,
  };
}

describe('the rows of a join table', () => {
  it('are laid out bit by bit, as they are asked for', () => {
    const size = 14 * CHUNK_ROWS;
    let read = 0;
    const chunks = Array.from({ length: 14 }, (_, index) => createChunk(index));
    const column: SourceColumn = {
      chunk: (index) => {
        read += 1;
        return chunks[index] ?? createChunk(index);
      },
      strings: DICTIONARY,
      texts: DICTIONARY,
      answers: new Map(),
    };
    const joined = new JoinedRows(Uint32Array.from({ length: size }, (_, row) => row));
    assert.equal(joined.vector(0, column, 10), undefined);
    assert.equal(read, 0);
    let vector = joined.vector(0, column, size);
    for (let calls = 1; vector === undefined && calls < 20; calls += 1) {
      // Two chunks are eight thousand rows.
      assert.ok(read <= 2 * calls, `${read} chunks after ${calls} calls`);
      vector = joined.vector(0, column, 1);
    }
    assert.ok(vector !== undefined);
    assert.equal(vector.mask, (1 << INTEGER) | (1 << STRING) | (1 << NULL));
    for (let row = 0; row < size; row += 1) {
      const tag: number = vector.tags[row] ?? MISSING;
      assert.equal(tag, chunks[Math.floor(row / CHUNK_ROWS)]?.tags[0]);
      assert.equal(vector.numbers[row], tag === INTEGER ? row : Number.NaN);
      assert.equal(vector.ids[row], tag === STRING ? row : RESERVED[tag]);
    }
  });
});

/** Of rows that are no strings. */
const RESERVED: Readonly<Record<number, number>> = { [NULL]: 1, [INTEGER]: 4 };
