// CSV by RFC 4180, read piece by piece and written line by line.

export interface CsvCell {
  readonly text: string;
  readonly isQuoted: boolean;
}

type State = 'start' | 'plain' | 'quoted' | 'after quote';

const DELIMITERS = [',', ';', '\t'] as const;

/** The most frequent delimiter of the first line. */
export function findDelimiter(beginning: string): string {
  const [line = ''] = beginning.replaceAll(/"[^"]*"/g, '').split('\n');
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Takes text as it arrives and returns complete records. Empty lines are not records. */
export class CsvReader {
  readonly #delimiter: string;
  #state: State = 'start';
  #cell = '';
  #isQuoted = false;
  #record: CsvCell[] = [];
  #records: CsvCell[][] = [];

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  take(text: string): readonly (readonly CsvCell[])[] {
    for (let at = 0; at < text.length; ) at = this.#step(text, at);
    return this.#takeRecords();
  }

  /** The last record needs no line break. Throws when a quote is left open. */
  finish(): readonly (readonly CsvCell[])[] {
    if (this.#state === 'quoted') throw new Error('A quote is never closed.');
    if (this.#state !== 'start' || this.#record.length > 0) this.#endRecord();
    return this.#takeRecords();
  }

  /** Returns the next position. */
  #step(text: string, at: number): number {
    if (this.#state === 'quoted') return this.#readQuoted(text, at);
    const character = text[at] ?? '';
    if (character === '"' && this.#state === 'start') {
      this.#isQuoted = true;
      this.#state = 'quoted';
    } else if (character === '"' && this.#state === 'after quote') {
      this.#cell += '"';
      this.#state = 'quoted';
    } else if (character === this.#delimiter) {
      this.#endCell();
    } else if (character === '\n') {
      this.#endRecord();
    } else {
      return this.#readPlain(text, at);
    }
    return at + 1;
  }

  #readQuoted(text: string, at: number): number {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    this.#cell += text.slice(at, end);
    if (quote >= 0) this.#state = 'after quote';
    return end + 1;
  }

  #readPlain(text: string, at: number): number {
    let end = at;
    while (end < text.length && text[end] !== '\n' && text[end] !== this.#delimiter) end += 1;
    this.#cell += text.slice(at, end);
    this.#state = 'plain';
    return end;
  }

  #endCell(): void {
    this.#record.push({ text: this.#cell, isQuoted: this.#isQuoted });
    this.#cell = '';
    this.#isQuoted = false;
    this.#state = 'start';
  }

  #endRecord(): void {
    if (this.#cell.endsWith('\r') && this.#state === 'plain') this.#cell = this.#cell.slice(0, -1);
    this.#endCell();
    const record = this.#record;
    this.#record = [];
    const [first] = record;
    const isEmpty = record.length === 1 && first?.text === '' && !first.isQuoted;
    if (!isEmpty) this.#records.push(record);
  }

  #takeRecords(): readonly (readonly CsvCell[])[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }
}

export function printCsvLine(cells: readonly string[]): string {
  return `${cells.map(quote).join()}\r\n`;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
