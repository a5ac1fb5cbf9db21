// Query results as NDJSON or CSV, one row per line, from the pieces of a JSON array.

import type { BegunQuery } from '../../grid/index.ts';
import { splitArray } from '../../value/json-text.ts';
import { CsvRows } from './csv-rows.ts';

/** Rows buffered to find their columns, if the query does not determine them. */
const FIRST_ROWS = 1000;

const decoder = new TextDecoder();

/** Takes pieces of JSON elements joined by commas; `begun` is known with the first piece. */
export async function* printNdjson(
  pieces: AsyncIterable<Uint8Array>,
  end: (() => BegunQuery | undefined) | undefined,
): AsyncGenerator<string> {
  let count = 0;
  for await (const piece of pieces) {
    const rows = rowsOf(piece);
    count += rows.length;
    yield `${rows.join('\n')}\n`;
  }
  if (end !== undefined) {
    yield `{"@end":{"count":${count},"sequence":${end()?.sequence ?? 0}}}\n`;
  }
}

export async function* printCsv(
  pieces: AsyncIterable<Uint8Array>,
  begun: () => BegunQuery | undefined,
): AsyncGenerator<string> {
  const firstRows: string[] = [];
  let csv: CsvRows | undefined;
  const begin = (): string => {
    const opened = new CsvRows(begun()?.columns);
    csv = opened;
    return opened.begin(firstRows) + firstRows.map((row) => opened.print(row)).join('');
  };
  for await (const piece of pieces) {
    const rows = rowsOf(piece);
    const opened = csv;
    if (opened !== undefined) {
      yield rows.map((row) => opened.print(row)).join('');
      continue;
    }
    firstRows.push(...rows);
    if (firstRows.length >= FIRST_ROWS) yield begin();
  }
  if (csv === undefined) yield begin();
}

function rowsOf(piece: Uint8Array): string[] {
  return splitArray(`[${decoder.decode(piece)}]`);
}
