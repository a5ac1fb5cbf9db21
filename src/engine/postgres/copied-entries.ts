// Rows of a COPY as batches of bounded bytes.

import type { JoinedTexts } from '../../value/entry-bytes.ts';
import { decodeKey } from '../key-encoding.ts';
import { BATCH_BYTES, type ScanBatches } from '../scan-batches.ts';
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

export type CopiedForm = 'entries' | 'values';

/** The columns to copy for each form of a batch. */
export const COPIED_COLUMNS: Readonly<Record<CopiedForm, string>> = {
  entries: 'key, value',
  values: 'value',
};

const FORMS: {
  readonly [Form in CopiedForm]: (rows: readonly CopiedRow[]) => ScanBatches[Form];
} = {
  entries: (rows) => ({
    keys: join(fieldsOf(rows, 0).map(decodeKeyBytes), NUL),
    values: join(fieldsOf(rows, 1), NEWLINE),
  }),
  values: (rows) => join(fieldsOf(rows, 0), COMMA).bytes,
};

export function toCopiedBatch<Form extends CopiedForm>(
  rows: readonly CopiedRow[],
  form: Form,
): ScanBatches[Form] {
  return FORMS[form](rows);
}

/** Batches of bounded bytes. */
export async function* toBatches(
  copied: AsyncIterable<readonly CopiedRow[]>,
  { onEnd, requireOpen, translate }: CopyHooks,
): AsyncGenerator<readonly CopiedRow[]> {
  let count = 0;
  let isWhole = false;
  try {
    let batch: CopiedRow[] = [];
    let bytes = 0;
    for await (const rows of copied) {
      for (const row of rows) {
        batch.push(row);
        count += 1;
        for (const field of row) bytes += field.length;
        if (bytes < BATCH_BYTES) continue;
        yield batch;
        requireOpen();
        batch = [];
        bytes = 0;
      }
    }
    if (batch.length > 0) yield batch;
    isWhole = true;
  } catch (error) {
    throw translate(error);
  } finally {
    onEnd(isWhole, count);
  }
}

function fieldsOf(rows: readonly CopiedRow[], index: number): readonly Buffer[] {
  return rows.map((row) => row[index] ?? Buffer.alloc(0));
}

function decodeKeyBytes(key: Buffer): Buffer {
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
