// Records of CSV as JSON objects. The first record names the members.

import type { CsvCell } from '../../json/csv.ts';
import type { FileRow } from './to-item.ts';

/** Texts that are JSON numbers. `007` and `+1` are not. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORD = /^(?:true|false|null)$/;

export class CsvRows {
  readonly #findsTypes: boolean;
  /** As JSON strings. */
  #names: readonly string[] | undefined;
  #rowNumber = 0;

  constructor(findsTypes: boolean) {
    this.#findsTypes = findsTypes;
  }

  take(records: readonly (readonly CsvCell[])[]): readonly FileRow[] {
    const rows: FileRow[] = [];
    for (const record of records) {
      if (this.#names === undefined) this.#names = readNames(record);
      else rows.push(this.#toRow(record, this.#names));
    }
    return rows;
  }

  #toRow(record: readonly CsvCell[], names: readonly string[]): FileRow {
    this.#rowNumber += 1;
    if (record.length !== names.length) {
      const problem = `The row has ${record.length} cells, the header has ${names.length}.`;
      return { rowNumber: this.#rowNumber, problem };
    }
    const members: string[] = [];
    for (const [column, cell] of record.entries()) {
      const value = this.#findsTypes ? findValue(cell) : JSON.stringify(cell.text);
      if (value !== undefined) members.push(`${names[column]}:${value}`);
    }
    return { rowNumber: this.#rowNumber, text: `{${members.join()}}` };
  }
}

function readNames(record: readonly CsvCell[]): readonly string[] {
  const names = record.map(({ text }, column) => text.trim() || `column ${column + 1}`);
  const twice = names.find((name, column) => names.indexOf(name) !== column);
  if (twice !== undefined) throw new Error(`Two columns of the header are called ${twice}.`);
  return names.map((name) => JSON.stringify(name));
}

/** JSON text; undefined for an empty cell, whose member is omitted. */
function findValue({ isQuoted, text }: CsvCell): string | undefined {
  if (text === '' && !isQuoted) return undefined;
  if (!isQuoted && (NUMBER.test(text) || WORD.test(text))) return text;
  if (/^[[{]/.test(text) && isJson(text)) return text;
  return JSON.stringify(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
