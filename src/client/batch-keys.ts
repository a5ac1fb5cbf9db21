// Reads of many keys, in requests whose addresses are not too long.

/** One request asks for no more: well below the service's limits for keys and for a URL. */
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
