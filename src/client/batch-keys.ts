// Splits reads of many keys into requests whose URLs are not too long.

/** Well below the service's limits on keys and URLs. */
const KEYS_PER_READ = 500;
const KEY_LIST_LENGTH = 12_000;

/** Lists of keys that fit into one URL each. */
export function* batchKeys(keys: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let length = 0;
  for (const key of keys) {
    const size = encodeURIComponent(key).length + 1;
    if (batch.length > 0 && (batch.length === KEYS_PER_READ || length + size > KEY_LIST_LENGTH)) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(key);
    length += size;
  }
  if (batch.length > 0) yield batch;
}
