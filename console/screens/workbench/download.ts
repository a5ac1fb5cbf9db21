// Saves the rows of a result as a file.

import { printCell, type ResultTable } from './result-rows.ts';

export function download(
  table: ResultTable,
  rows: readonly string[],
  form: 'csv' | 'ndjson',
): void {
  const text = form === 'csv' ? printCsv(table) : `${rows.join('\n')}\n`;
  const type = form === 'csv' ? 'text/csv' : 'application/x-ndjson';
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `result.${form}`;
  link.click();
  URL.revokeObjectURL(url);
}

/** RFC 4180. Numbers stay as the service sent them. */
function printCsv({ cells, columns }: ResultTable): string {
  const lines = [
    columns.map(quote),
    ...cells.map((row) => row.map((cell) => quote(printCell(cell)))),
  ];
  return lines.map((line) => `${line.join()}\r\n`).join('');
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
