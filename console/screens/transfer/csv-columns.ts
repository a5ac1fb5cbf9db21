// Rows of a query as CSV. Rows may have different members, so the columns are only known after the
// last row; until then the rows are held as a blob of NDJSON.

import { kindOfJson, splitObject } from '../../../src/value/json-text.ts';
import { printCsvLine } from '../../json/csv.ts';
import { printCell } from '../workbench/result-rows.ts';
import { readRows } from './read-file.ts';

/** The column of rows that are not objects. */
const VALUE_COLUMN = 'value';

export class CsvColumns {
  readonly #names = new Set<string>();

  learn(row: string): void {
    for (const name of membersOf(row).keys()) this.#names.add(name);
  }

  async print(rows: Blob, type: string): Promise<Blob> {
    const names = [...this.#names];
    const parts = [new Blob([printCsvLine(names)])];
    for await (const list of readRows(rows, { form: 'ndjson', findsTypes: false })) {
      const lines = list.map(({ text = '' }) => {
        const members = membersOf(text);
        return printCsvLine(names.map((name) => printCell(members.get(name))));
      });
      parts.push(new Blob(lines));
    }
    return new Blob(parts, { type });
  }
}

function membersOf(row: string): ReadonlyMap<string, string> {
  return kindOfJson(row) === 'object' ? splitObject(row) : new Map([[VALUE_COLUMN, row]]);
}
