// Typed arrays that grow, and a sort of numbers.

type Numbers = Int8Array | Uint8Array | Uint32Array | Float64Array;

/** Fills the beginning of a longer array with an array, and returns the longer one. */
export function extend<Array extends Numbers>(longer: Array, array: Array): Array {
  longer.set(array);
  return longer;
}

/** Elements counted or moved between two yield points. */
const STEP = 2048;

/** The indexes of buckets, in the order of the buckets: a stable counting sort, in steps. */
export function* sortByBucket(
  buckets: Uint32Array,
  bucketCount: number,
): Generator<void, Uint32Array> {
  const next = new Uint32Array(bucketCount + 1);
  for (let index = 0; index < buckets.length; index += 1) {
    if (index % STEP === 0) yield;
    const after = (buckets[index] ?? 0) + 1;
    next[after] = (next[after] ?? 0) + 1;
  }
  for (let bucket = 1; bucket < next.length; bucket += 1) {
    next[bucket] = (next[bucket] ?? 0) + (next[bucket - 1] ?? 0);
  }
  const order = new Uint32Array(buckets.length);
  for (let index = 0; index < buckets.length; index += 1) {
    if (index % STEP === 0) yield;
    const bucket = buckets[index] ?? 0;
    const at = next[bucket] ?? 0;
    order[at] = index;
    next[bucket] = at + 1;
  }
  return order;
}
