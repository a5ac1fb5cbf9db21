// Rows of a COPY as batches of bounded bytes.

import type { EntryBytes, JoinedTexts } from '../../value/entry-bytes.ts';
import { decodeKey } from '../key-encoding.ts';
import { BATCH_BYTES } from '../scan-batches.ts';
import type { CopiedRow } from './copy-out.ts';

const NEWLINE = 0x0a;
const COMMA = 0x2c;
const NUL = 0;
/** UTF-8 of every code point that `decodeKey` changes begins with this byte or a higher one. */
const FIRST_MOVED_BYTE = 0xee;

export interface CopyHooks {
  /** Throws when the snapshot has been closed. */
  readonly requireOpen: () => void;
  readonly translate: (error: unknown) => Error;
  /** Called once; may throw when the count is wrong. */
  readonly onEnd: (isWhole: boolean, count: number) => void;
}

export class CopiedEntries {
  readonly #rows: AsyncIterable<readonly CopiedRow[]>;
  readonly #hooks: CopyHooks;

  constructor(rows: AsyncIterable<readonly CopiedRow[]>, hooks: CopyHooks) {
    this.#rows = rows;
    this.#hooks = hooks;
  }

  async *entries(): AsyncGenerator<EntryBytes> {
    for await (const rows of this.#batches()) {
      const keys = rows.map(([key = Buffer.alloc(0)]) => plainKey(key));
      yield { keys: join(keys, NUL), values: join(fieldsOf(rows, 1), NEWLINE) };
    }
  }

  async *values(): AsyncGenerator<Uint8Array> {
    for await (const rows of this.#batches()) yield join(fieldsOf(rows, 0), COMMA).bytes;
  }

  async *#batches(): AsyncGenerator<readonly CopiedRow[]> {
    let count = 0;
    let isWhole = false;
    try {
      let batch: CopiedRow[] = [];
      let bytes = 0;
      for await (const rows of this.#rows) {
        for (const row of rows) {
          batch.push(row);
          count += 1;
          for (const field of row) bytes += field.length;
          if (bytes < BATCH_BYTES) continue;
          yield batch;
          this.#hooks.requireOpen();
          batch = [];
          bytes = 0;
        }
      }
      if (batch.length > 0) yield batch;
      isWhole = true;
    } catch (error) {
      throw this.#hooks.translate(error);
    } finally {
      this.#hooks.onEnd(isWhole, count);
    }
  }
}

function fieldsOf(rows: readonly CopiedRow[], index: number): readonly Buffer[] {
  return rows.map((row) => row[index] ?? Buffer.alloc(0));
}

function plainKey(key: Buffer): Buffer {
  for (const byte of key) {
    if (byte >= FIRST_MOVED_BYTE) return Buffer.from(decodeKey(key.toString()));
  }
  return key;
}

function join(texts: readonly Buffer[], separator: number): JoinedTexts {
  let length = Math.max(0, texts.length - 1);
  for (const text of texts) length += text.length;
  const bytes = Buffer.allocUnsafeSlow(length);
  const ends = new Uint32Array(texts.length);
  let at = 0;
  for (const [i, text] of texts.entries()) {
    if (i > 0) {
      bytes[at] = separator;
      at += 1;
    }
    bytes.set(text, at);
    at += text.length;
    ends[i] = at;
  }
  return { bytes, ends };
}
