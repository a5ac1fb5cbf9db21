// Saves the rows of a result as a file.

import { saveFile } from '../../api/save-file.ts';
import { printCsvLine } from '../../json/csv.ts';
import { printCell, type ResultTable } from './result-rows.ts';

export function download(
  table: ResultTable,
  rows: readonly string[],
  form: 'csv' | 'ndjson',
): void {
  const text = form === 'csv' ? printCsv(table) : `${rows.join('\n')}\n`;
  const type = form === 'csv' ? 'text/csv' : 'application/x-ndjson';
  saveFile(new Blob([text], { type }), `result.${form}`);
}

/** Numbers stay as the service sent them. */
function printCsv({ cells, columns }: ResultTable): string {
  const lines = [columns, ...cells.map((row) => row.map(printCell))];
  return lines.map(printCsvLine).join('');
}
