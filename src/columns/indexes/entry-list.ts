// A growing list of entries: keys with their rows. It is stored in segments, because a larger array
// would be a copy of everything, made in one step.

import { extend } from '../arrays.ts';

const SEGMENT_BITS = 14;
const SEGMENT_SIZE = 1 << SEGMENT_BITS;
const SEGMENT_MASK = SEGMENT_SIZE - 1;
/** Room of the first segment of a small list. */
const SMALL_SEGMENT = 64;

interface Segment {
  readonly keys: Float64Array;
  readonly rows: Uint32Array;
}

export class EntryList {
  size = 0;
  readonly #segments: Segment[] = [createSegment(SMALL_SEGMENT)];

  push(key: number, row: number): void {
    const at = this.size & SEGMENT_MASK;
    const { keys, rows } = this.#segmentFor(this.size >> SEGMENT_BITS, at);
    keys[at] = key;
    rows[at] = row;
    this.size += 1;
  }

  keyAt(index: number): number {
    return this.#segments[index >> SEGMENT_BITS]?.keys[index & SEGMENT_MASK] ?? 0;
  }

  rowAt(index: number): number {
    return this.#segments[index >> SEGMENT_BITS]?.rows[index & SEGMENT_MASK] ?? 0;
  }

  /** All keys side by side, copied in steps. */
  *copyKeys(): Generator<void, Float64Array> {
    const copy = new Float64Array(this.size);
    for (const [number, { keys }] of this.#segments.entries()) {
      const start = number << SEGMENT_BITS;
      copy.set(keys.subarray(0, this.size - start), start);
      yield;
    }
    return copy;
  }

  sizeBytes(): number {
    return this.#segments.reduce(
      (sum, { keys, rows }) => sum + keys.byteLength + rows.byteLength,
      0,
    );
  }

  /** The segment of that number, with room at `at`. */
  #segmentFor(number: number, at: number): Segment {
    const segment = this.#segments[number];
    if (segment !== undefined && at < segment.keys.length) return segment;
    const next = segment === undefined ? createSegment(SEGMENT_SIZE) : grow(segment);
    this.#segments[number] = next;
    return next;
  }
}

function createSegment(room: number): Segment {
  return { keys: new Float64Array(room), rows: new Uint32Array(room) };
}

function grow({ keys, rows }: Segment): Segment {
  const { keys: moreKeys, rows: moreRows } = createSegment(keys.length * 2);
  return { keys: extend(moreKeys, keys), rows: extend(moreRows, rows) };
}
