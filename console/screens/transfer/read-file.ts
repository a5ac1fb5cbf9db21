// The rows of a file as JSON texts, streamed: a file of any size takes the memory of one piece.
// Values are never parsed and printed again, so that numbers stay exact.

import { readElements } from '../../../src/client/index.ts';
import { CsvReader, findDelimiter } from '../../json/csv.ts';
import { CsvRows } from './csv-rows.ts';
import type { FileRow } from './to-item.ts';

export type FileForm = 'ndjson' | 'array' | 'csv';

export interface ReadOptions {
  readonly form: FileForm;
  /** For CSV: `1.50` and `true` without quotes are not strings. */
  readonly findsTypes: boolean;
  /** Called with the number of bytes read. */
  readonly onBytes?: (bytes: number) => void;
}

/** By the extension of its name, else by its first character. */
export async function findForm(file: File): Promise<FileForm> {
  const [, ending = ''] = /\.([^.]+)$/.exec(file.name.toLowerCase()) ?? [];
  if (ending === 'csv' || ending === 'tsv') return 'csv';
  if (ending === 'ndjson' || ending === 'jsonl') return 'ndjson';
  const beginning = (await file.slice(0, 1000).text()).trimStart();
  if (beginning.startsWith('[')) return 'array';
  return beginning.startsWith('{') ? 'ndjson' : 'csv';
}

/**
 * Lists of rows as they are read. `rowNumber` counts lines of NDJSON and rows of the others, from
 * 1.
 */
export async function* readRows(
  file: Blob,
  { findsTypes, form, onBytes = () => undefined }: ReadOptions,
): AsyncGenerator<readonly FileRow[]> {
  const pieces = readPieces(file, onBytes);
  switch (form) {
    case 'ndjson':
      yield* readLines(decode(pieces));
      return;
    case 'csv':
      yield* readCsv(decode(pieces), findsTypes);
      return;
    case 'array':
      yield* readArray(file, pieces);
  }
}

async function* readPieces(
  file: Blob,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
      bytes += value.length;
      onBytes(bytes);
    }
  } finally {
    await reader.cancel();
  }
}

async function* decode(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const piece of pieces) yield decoder.decode(piece, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Error('The file is not UTF-8 text.', { cause: error });
  }
}

async function* readLines(texts: AsyncIterable<string>): AsyncGenerator<readonly FileRow[]> {
  let rest = '';
  let rowNumber = 0;
  const toRow = (line: string): readonly FileRow[] => {
    rowNumber += 1;
    return line.trim() === '' ? [] : [{ rowNumber, text: line.trim() }];
  };
  for await (const text of texts) {
    const lines = text.split('\n');
    // Most of a long line is joined once, not once for each piece.
    const last = lines.pop() ?? '';
    if (lines.length > 0) {
      lines[0] = rest + (lines[0] ?? '');
      rest = '';
      yield lines.flatMap(toRow);
    }
    rest += last;
  }
  yield toRow(rest);
}

async function* readCsv(
  texts: AsyncIterable<string>,
  findsTypes: boolean,
): AsyncGenerator<readonly FileRow[]> {
  let reader: CsvReader | undefined;
  const rows = new CsvRows(findsTypes);
  for await (const text of texts) {
    reader ??= new CsvReader(findDelimiter(text));
    yield rows.take(reader.take(text));
  }
  yield rows.take(reader?.finish() ?? []);
}

async function* readArray(
  file: Blob,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly FileRow[]> {
  const beginning = await file.slice(0, 1000).text();
  if (!/^\ufeff?\s*\[/.test(beginning)) throw new Error('The file does not begin with [.');
  let rowNumber = 0;
  const cutShort = (cause?: unknown): Error =>
    new Error(cause === undefined ? 'The array has no end.' : 'The file is not UTF-8 text.');
  for await (const texts of readElements(pieces, 1, cutShort)) {
    yield texts.map((text) => {
      rowNumber += 1;
      return { rowNumber, text };
    });
  }
}
