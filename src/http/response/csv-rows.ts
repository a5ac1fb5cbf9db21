// Result rows as CSV (RFC 4180): a header row, then one line per row, ended by CRLF. Numbers keep
// their text, strings are quoted where they must be, null and absent members are empty, an empty
// string is `""`, and objects and lists are JSON text.

import type { ResultColumns } from '../../grid/index.ts';
import { kindOfJson, listMembers, splitObject } from '../../value/json-text.ts';

const LINE_END = '\r\n';
/** The column of values that have no name. */
const UNNAMED = 'value';
const NEEDS_QUOTES = /[",\r\n]|^$|^\s|\s$/;

export class CsvRows {
  readonly #columns: ResultColumns | undefined;
  #names: readonly string[] | undefined;
  #isObject = false;

  /** `columns`: the columns as far as the query text determines them. */
  constructor(columns: ResultColumns | undefined) {
    this.#columns = columns;
  }

  /** The first rows determine the columns, if the query does not. */
  begin(firstRows: readonly string[]): string {
    const names = this.#chooseNames(firstRows);
    this.#names = names;
    return names.map(printText).join(',') + LINE_END;
  }

  print(row: string): string {
    const names = this.#names ?? [];
    if (!this.#isObject) return printCell(row) + LINE_END;
    const members = kindOfJson(row) === 'object' ? splitObject(row) : new Map<string, string>();
    return names.map((name) => printCell(members.get(name))).join(',') + LINE_END;
  }

  #chooseNames(firstRows: readonly string[]): readonly string[] {
    const { names, rows } = this.#columns ?? { names: [UNNAMED], rows: 'value' };
    this.#isObject = true;
    if (rows === 'struct') return names;
    if (firstRows.length > 0 && firstRows.every((row) => kindOfJson(row) === 'object')) {
      const members = firstRows.flatMap((row) => listMembers(row).map(({ name }) => name));
      return [...new Set(members)];
    }
    this.#isObject = false;
    return [names[0] ?? UNNAMED];
  }
}

function printCell(text: string | undefined): string {
  if (text === undefined || text === 'null') return '';
  switch (kindOfJson(text)) {
    case 'string':
      return printText(JSON.parse(text) as string); // a string of JSON
    case 'object':
    case 'array':
      return printText(text);
    default:
      return text;
  }
}

function printText(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
