// The entries of an index that is being built, and how they are sorted: runs that are merged, with
// a yield point after every few hundred entries.

/** Entries in the order they were met. */
export class EntryList {
  keys: Float64Array = new Float64Array(1024);
  rows: Uint32Array = new Uint32Array(1024);
  size = 0;

  push(key: number, row: number): void {
    if (this.size === this.keys.length) {
      const keys = new Float64Array(this.size * 2);
      keys.set(this.keys);
      this.keys = keys;
      const rows = new Uint32Array(this.size * 2);
      rows.set(this.rows);
      this.rows = rows;
    }
    this.keys[this.size] = key;
    this.rows[this.size] = row;
    this.size += 1;
  }

  sizeBytes(): number {
    return this.keys.byteLength + this.rows.byteLength;
  }
}

/** Entries that are sorted in one go; strings take ten times as long as numbers. */
const FIRST_RUN = 512;
/** Entries that are merged between two yield points: each is compared once. */
const MERGED = 2048;

/** The places 0 to `size` - 1 in order; those that are equal stay as they were. */
export function* sortPlaces(
  size: number,
  order: (left: number, right: number) => number,
): Generator<void, Uint32Array> {
  let places = new Uint32Array(size);
  for (let start = 0; start < size; start += FIRST_RUN) {
    const some: number[] = [];
    const end = Math.min(start + FIRST_RUN, size);
    for (let place = start; place < end; place += 1) some.push(place);
    places.set(some.sort(order), start);
    yield;
  }
  for (let width = FIRST_RUN; width < size; width *= 2) {
    const merged = new Uint32Array(size);
    for (let start = 0; start < size; start += width * 2) {
      yield* mergeRuns(places, merged, { start, width, size }, order);
    }
    places = merged;
  }
  return places;
}

function* mergeRuns(
  source: Uint32Array,
  target: Uint32Array,
  run: { readonly start: number; readonly width: number; readonly size: number },
  order: (left: number, right: number) => number,
): Generator<void> {
  const middle = Math.min(run.start + run.width, run.size);
  const end = Math.min(middle + run.width, run.size);
  let left = run.start;
  let right = middle;
  for (let at = run.start; at < end; at += 1) {
    const takesLeft =
      right === end || (left < middle && order(source[left] ?? 0, source[right] ?? 0) <= 0);
    target[at] = source[takesLeft ? left : right] ?? 0;
    if (takesLeft) left += 1;
    else right += 1;
    if (at % MERGED === MERGED - 1) yield;
  }
}
