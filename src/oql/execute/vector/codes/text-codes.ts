// Codes of texts. One large map would be copied whole whenever it grows, for tens of milliseconds where
// it has a million texts; many small ones grow one after another.

const SHARDS = 256;
/** Texts that differ mostly differ near their ends. */
const HASHED_CHARACTERS = 8;

export class TextCodes {
  readonly #shards: (Map<string, number> | undefined)[] = [];

  get(text: string): number | undefined {
    return this.#shards[shardOf(text)]?.get(text);
  }

  set(text: string, code: number): void {
    const shard = shardOf(text);
    while (this.#shards.length <= shard) this.#shards.push(undefined);
    const codes = this.#shards[shard] ?? new Map<string, number>();
    codes.set(text, code);
    this.#shards[shard] = codes;
  }
}

function shardOf(text: string): number {
  let hash = text.length;
  for (let at = Math.max(0, text.length - HASHED_CHARACTERS); at < text.length; at += 1) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  }
  return (hash ^ (hash >>> 9)) & (SHARDS - 1);
}
