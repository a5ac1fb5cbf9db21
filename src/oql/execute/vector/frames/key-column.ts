// The keys of a region as a column, for its views `keys` and `entries`. It is built for one query,
// from the chunks that the query reads. The row of a key determines its id, so that a key has its
// id before its chunk is read.

import {
  CHUNK_BITS,
  CHUNK_ROWS,
  type Dictionary,
  type SourceChunk,
  type SourceColumn,
} from '../../../../value/column-data.ts';
import { FIRST_STRING_ID, STRING } from '../../../../value/row-tags.ts';
import type { SourceTable } from '../../../columnar/column-source.ts';
import { chunkOf } from './vector.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function createKeyColumn(table: SourceTable): SourceColumn {
  const strings = new KeyStrings(table);
  const chunks: SourceChunk[] = [];
  return {
    strings,
    texts: strings,
    testResults: new Map(),
    chunk: (index) => {
      chunks[index] ??= createKeyChunk(index, table.size, strings);
      return chunks[index];
    },
  };
}

/** Keys are read when their ids are needed, not when only their tag is. */
function createKeyChunk(index: number, tableSize: number, strings: KeyStrings): SourceChunk {
  const start = index * CHUNK_ROWS;
  const filled = Math.max(0, Math.min(CHUNK_ROWS, tableSize - start));
  let lazyIds: Uint32Array | undefined;
  return {
    ...chunkOf(STRING, filled),
    get ids(): Uint32Array {
      strings.load(index);
      lazyIds ??= Uint32Array.from({ length: filled }, (_, row) => start + row + FIRST_STRING_ID);
      return lazyIds;
    },
  };
}

class KeyStrings implements Dictionary {
  readonly size: number;
  readonly ends: Uint32Array;
  bytes: Uint8Array = new Uint8Array(1 << 12);
  readonly #table: SourceTable;
  readonly #starts: Uint32Array;
  readonly #isLoaded: boolean[] = [];
  #used = 0;

  constructor(table: SourceTable) {
    this.#table = table;
    this.size = table.size + FIRST_STRING_ID;
    this.ends = new Uint32Array(this.size);
    this.#starts = new Uint32Array(this.size);
  }

  load(chunk: number): void {
    if (this.#isLoaded[chunk] === true) return;
    this.#isLoaded[chunk] = true;
    const end = Math.min((chunk + 1) * CHUNK_ROWS, this.#table.size);
    for (let row = chunk * CHUNK_ROWS; row < end; row += 1) {
      const key = this.#table.keyOf(row);
      // UTF-8 has at most three bytes for each UTF-16 code unit.
      this.#ensure(key.length * 3);
      this.#starts[row + FIRST_STRING_ID] = this.#used;
      this.#used += encoder.encodeInto(key, this.bytes.subarray(this.#used)).written;
      this.ends[row + FIRST_STRING_ID] = this.#used;
    }
  }

  #ensure(more: number): void {
    if (this.#used + more <= this.bytes.length) return;
    const grown = new Uint8Array(this.bytes.length * 2 + more);
    grown.set(this.bytes);
    this.bytes = grown;
  }

  start(id: number): number {
    return this.#starts[id] ?? 0;
  }

  text(id: number): string {
    return this.#table.keyOf(id - FIRST_STRING_ID);
  }

  findText(text: string): number | undefined {
    const row = this.#table.findKey(text);
    if (row === undefined) return undefined;
    this.load(row >> CHUNK_BITS);
    return row + FIRST_STRING_ID;
  }

  find(source: Uint8Array, start: number, end: number): number | undefined {
    return this.findText(decoder.decode(source.subarray(start, end)));
  }
}
