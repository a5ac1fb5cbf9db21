// A batch of rows in a query. A row of a frame has one position in each iterator of FROM that is
// joined so far. The values at a path are a vector: the memory of the column if the frame is a
// whole chunk, otherwise a copy of the rows.

import {
  CHUNK_BITS,
  CHUNK_MASK,
  CHUNK_ROWS,
  type SourceChunk,
  type SourceColumn,
} from '../../../../value/column-data.ts';
import { MISSING, RESERVED_IDS } from '../../../../value/row-tags.ts';
import type { Value } from '../../../../value/value.ts';
import { chunkOf, NO_IDS, NO_NUMBERS, readValue, type Vector } from './vector.ts';

/** The positions of the rows of a frame in the chunks of one iterator. */
export type Locator =
  /** The iterator is not joined yet: every value is missing. */
  | { readonly kind: 'nowhere' }
  /** The first `size` rows of a chunk; `isFull` if it has no more when columns are read. */
  | { readonly kind: 'whole'; readonly chunk: number; readonly isFull: boolean }
  | { readonly kind: 'within'; readonly chunk: number; readonly positions: Uint32Array }
  | { readonly kind: 'scattered'; readonly chunks: Uint32Array; readonly positions: Uint32Array };

type Scattered = Extract<Locator, { kind: 'scattered' }>;

/** Locators of the iterators before one that is read alone. */
export function nowhere(iterators: number): readonly Locator[] {
  return Array.from({ length: iterators }, () => ({ kind: 'nowhere' }));
}

/** The positions of rows of a table, from their row numbers. */
export function locateRows(rows: Uint32Array): Locator {
  const chunks = new Uint32Array(rows.length);
  const positions = new Uint32Array(rows.length);
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? 0;
    chunks[index] = row >>> CHUNK_BITS;
    positions[index] = row & CHUNK_MASK;
  }
  return { kind: 'scattered', chunks, positions };
}

export interface QueryColumn {
  readonly iterator: number;
  readonly column: SourceColumn;
}

export class Frame {
  readonly size: number;
  readonly locators: readonly Locator[];
  readonly #columns: readonly QueryColumn[];
  readonly #vectors: (Vector | undefined)[] = [];

  constructor(size: number, locators: readonly Locator[], columns: readonly QueryColumn[]) {
    this.size = size;
    this.locators = locators;
    this.#columns = columns;
  }

  vector(columnNumber: number): Vector {
    const cached = this.#vectors[columnNumber];
    if (cached !== undefined) return cached;
    const source = this.#columns[columnNumber];
    const locator = source && this.locators[source.iterator];
    if (source === undefined || locator === undefined) throw new Error(`no column ${columnNumber}`);
    const vector = readVector(source.column, locator, this.size);
    while (this.#vectors.length <= columnNumber) this.#vectors.push(undefined);
    this.#vectors[columnNumber] = vector;
    return vector;
  }

  value(columnNumber: number, index: number): Value {
    const source = this.#columns[columnNumber];
    if (source === undefined) throw new Error(`no column ${columnNumber}`);
    return readValue(this.vector(columnNumber), index, source.column);
  }

  /** The rows `picked` of this frame, in that order, as a new frame. */
  pick(picked: Uint32Array): Frame {
    const locators = this.locators.map((locator) => pickPositions(locator, picked));
    return new Frame(picked.length, locators, this.#columns);
  }

  /** Each row paired with a position of one more iterator. */
  extend(locator: Locator): Frame {
    return new Frame(this.size, [...this.locators, locator], this.#columns);
  }

  chunkAt(iterator: number, index: number): number {
    const locator = this.#locator(iterator);
    return locator.kind === 'scattered' ? (locator.chunks[index] ?? 0) : locator.chunk;
  }

  positionAt(iterator: number, index: number): number {
    const locator = this.#locator(iterator);
    return locator.kind === 'whole' ? index : (locator.positions[index] ?? 0);
  }

  rowNumberAt(iterator: number, index: number): number {
    return this.chunkAt(iterator, index) * CHUNK_ROWS + this.positionAt(iterator, index);
  }

  rowNumbers(iterator: number): Uint32Array {
    const locator = this.#locator(iterator);
    const rows = new Uint32Array(this.size);
    const first = locator.kind === 'whole' ? locator.chunk * CHUNK_ROWS : undefined;
    for (let index = 0; index < rows.length; index += 1) {
      rows[index] = first === undefined ? this.rowNumberAt(iterator, index) : first + index;
    }
    return rows;
  }

  #locator(iterator: number): Exclude<Locator, { kind: 'nowhere' }> {
    const locator = this.locators[iterator];
    if (locator === undefined || locator.kind === 'nowhere')
      throw new Error(`iterator ${iterator} is not joined yet`);
    return locator;
  }
}

function pickPositions(locator: Locator, picked: Uint32Array): Locator {
  switch (locator.kind) {
    case 'nowhere':
      return locator;
    case 'whole':
      return { kind: 'within', chunk: locator.chunk, positions: picked };
    case 'within':
      return { kind: 'within', chunk: locator.chunk, positions: gather(locator.positions, picked) };
    case 'scattered':
      return {
        kind: 'scattered',
        chunks: gather(locator.chunks, picked),
        positions: gather(locator.positions, picked),
      };
  }
}

export function gather(source: Uint32Array, picked: Uint32Array): Uint32Array {
  const result = new Uint32Array(picked.length);
  for (let index = 0; index < picked.length; index += 1) {
    result[index] = source[picked[index] ?? 0] ?? 0;
  }
  return result;
}

const MAY_MISS: number = 1 << MISSING;

function readVector(column: SourceColumn, locator: Locator, size: number): Vector {
  if (locator.kind === 'nowhere') return chunkOf(MISSING, size);
  if (locator.kind === 'scattered') return gatherScattered(column, locator, size);
  const chunk = column.chunk(locator.chunk);
  if (locator.kind === 'whole') {
    chunk.ensure(size);
    const { tags, numbers, ids, texts, lowest, highest } = chunk;
    const isComplete = locator.isFull && chunk.filled === size;
    const mask = isComplete ? chunk.mask : chunk.mask | MAY_MISS;
    return { tags, numbers, ids, texts, mask, lowest, highest };
  }
  return gatherWithin(chunk, locator.positions, size);
}

function gatherWithin(chunk: SourceChunk, positions: Uint32Array, size: number): Vector {
  const tags = new Uint8Array(size);
  const numbers = chunk.numbers.length > 0 ? new Float64Array(size) : NO_NUMBERS;
  // A position beyond the arrays was never written: it is missing.
  for (let index = 0; index < size; index += 1)
    tags[index] = chunk.tags[positions[index] ?? 0] ?? 0;
  for (let index = 0; index < numbers.length; index += 1) {
    numbers[index] = chunk.numbers[positions[index] ?? 0] ?? Number.NaN;
  }
  const ids = chunk.ids.length > 0 ? gather(chunk.ids, positions) : NO_IDS;
  const texts = chunk.texts.length > 0 ? gather(chunk.texts, positions) : NO_IDS;
  const { lowest, highest } = chunk;
  return { tags, numbers, ids, texts, mask: chunk.mask | MAY_MISS, lowest, highest };
}

/** The kinds of payload in chunks, as bits. */
const HAS_NUMBERS = 1;
const HAS_IDS = 2;
const HAS_TEXTS = 4;

/** Neighbouring rows may be in any chunk, so each kind of payload is gathered separately. */
function gatherScattered(column: SourceColumn, locator: Scattered, size: number): Vector {
  const { chunks, positions } = locator;
  const parts: SourceChunk[] = [];
  let mask = MAY_MISS;
  let payloads = 0;
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < size; row += 1) {
    const chunk = chunks[row] ?? 0;
    if (parts[chunk] !== undefined) continue;
    const part = column.chunk(chunk);
    parts[chunk] = part;
    mask |= part.mask;
    lowest = Math.min(lowest, part.lowest);
    highest = Math.max(highest, part.highest);
    payloads |= part.numbers.length && HAS_NUMBERS;
    payloads |= part.ids.length && HAS_IDS;
    payloads |= part.texts.length && HAS_TEXTS;
  }
  const tagParts = parts.map((part) => part.tags);
  const tags = new Uint8Array(size);
  for (let row = 0; row < size; row += 1) {
    tags[row] = tagParts[chunks[row] ?? 0]?.[positions[row] ?? 0] ?? MISSING;
  }
  return {
    tags,
    numbers: (payloads & HAS_NUMBERS) === 0 ? NO_NUMBERS : gatherNumbers(parts, locator, size),
    ids: (payloads & HAS_IDS) === 0 ? NO_IDS : gatherIds('ids', parts, locator, tags),
    texts: (payloads & HAS_TEXTS) === 0 ? NO_IDS : gatherIds('texts', parts, locator, tags),
    mask,
    lowest,
    highest,
  };
}

function gatherNumbers(
  parts: readonly SourceChunk[],
  { chunks, positions }: Scattered,
  size: number,
): Float64Array {
  const sources = parts.map((part) => part.numbers);
  const numbers = new Float64Array(size);
  for (let row = 0; row < size; row += 1) {
    numbers[row] = sources[chunks[row] ?? 0]?.[positions[row] ?? 0] ?? Number.NaN;
  }
  return numbers;
}

/** The ids of strings or texts; a row without one has the reserved id of its tag. */
function gatherIds(
  kind: 'ids' | 'texts',
  parts: readonly SourceChunk[],
  { chunks, positions }: Scattered,
  tags: Uint8Array,
): Uint32Array {
  const sources = parts.map((part) => part[kind]);
  const ids = new Uint32Array(tags.length);
  for (let row = 0; row < ids.length; row += 1) {
    const id = sources[chunks[row] ?? 0]?.[positions[row] ?? 0];
    ids[row] = id ?? RESERVED_IDS[tags[row] ?? 0] ?? 0;
  }
  return ids;
}
