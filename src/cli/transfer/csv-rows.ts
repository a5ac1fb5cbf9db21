// Rows of comma-separated values (RFC 4180), read as they arrive.

import { BadEntryError, type InputPosition } from './bad-entry.ts';

/** A cell, and whether it was quoted: a quoted cell is always a text. */
export interface Cell {
  readonly text: string;
  readonly isQuoted: boolean;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Skips blank rows, but counts them. Throws `BadEntryError`. */
export async function* readCsvRows(
  input: AsyncIterable<Uint8Array>,
  separator: string,
): AsyncGenerator<CsvRow> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const splitter = new RowSplitter(separator);
  const decode = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new BadEntryError('it is not valid UTF-8', {
        position: splitter.position,
        cause: error,
      });
    }
  };
  for await (const bytes of input) yield* splitter.take(decode(bytes));
  yield* splitter.take(decode());
  yield* splitter.end();
}

interface CsvRow {
  readonly position: InputPosition;
  readonly cells: readonly Cell[];
}

/** `cell` before or inside an unquoted cell, `quoted` inside quotes, `closed` after the last quote. */
type State = 'cell' | 'quoted' | 'closed';

class RowSplitter {
  /** The header is row 1. */
  #row = 1;
  readonly #separator: string;
  #state: State = 'cell';
  #text = '';
  #isQuoted = false;
  #cells: Cell[] = [];
  #isFirst = true;

  constructor(separator: string) {
    this.#separator = separator;
  }

  get position(): InputPosition {
    return { unit: 'row', number: this.#row };
  }

  *take(text: string): Generator<CsvRow> {
    const isMarked = this.#isFirst && text.startsWith(BYTE_ORDER_MARK);
    for (const character of isMarked ? text.slice(BYTE_ORDER_MARK.length) : text) {
      if (this.#state === 'quoted') this.#stepInQuotes(character);
      else if (character === '\n') yield* this.#endRow();
      else this.#stepOutside(character);
    }
    if (text !== '') this.#isFirst = false;
  }

  *end(): Generator<CsvRow> {
    if (this.#state === 'quoted')
      throw new BadEntryError('a quote is not closed', { position: this.position });
    yield* this.#endRow();
  }

  #stepInQuotes(character: string): void {
    if (character === '"') this.#state = 'closed';
    else this.#text += character;
  }

  #stepOutside(character: string): void {
    if (character === this.#separator) {
      this.#endCell();
    } else if (this.#state === 'closed') {
      if (character === '"') {
        // Two quotes inside quotes stand for one.
        this.#text += '"';
        this.#state = 'quoted';
      } else if (character !== '\r') {
        throw new BadEntryError('there is text after a closing quote', { position: this.position });
      }
    } else if (character === '"' && this.#text === '') {
      this.#state = 'quoted';
      this.#isQuoted = true;
    } else {
      this.#text += character;
    }
  }

  #endCell(): void {
    const text = this.#isQuoted ? this.#text : this.#text.replace(/\r$/, '');
    this.#cells.push({ text, isQuoted: this.#isQuoted });
    this.#text = '';
    this.#isQuoted = false;
    this.#state = 'cell';
  }

  *#endRow(): Generator<CsvRow> {
    this.#endCell();
    const [first] = this.#cells;
    const isBlank = this.#cells.length === 1 && first?.text === '' && !first.isQuoted;
    if (!isBlank) yield { position: this.position, cells: this.#cells };
    this.#cells = [];
    this.#row += 1;
  }
}
