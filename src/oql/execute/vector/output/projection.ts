// SELECT over frames: prints rows as JSON, each projection from the cheapest source that has it.

import { printJson } from '../../../../value/json-print.ts';
import type { RowKey } from '../codes/row-encoder.ts';
import type { Frame } from '../frames/frame.ts';
import type { Runtime } from '../runtime.ts';
import { type JsonWriter, printStored, type WrittenMember } from './json-writer.ts';
import { type Phrase, StringPhrases, toPhrase } from './phrases.ts';

interface PrintedProjection {
  readonly key: RowKey;
  /** The iterator whose stored value it is; undefined for a column and for a computed value. */
  readonly whole: number | undefined;
  /** The strings of its column; undefined if it is no column. */
  readonly strings: StringPhrases | undefined;
}

function isComputed({ whole, strings }: PrintedProjection): boolean {
  return whole === undefined && strings === undefined;
}

/** Rows of a frame to be written. */
export interface WrittenRows {
  readonly frame: Frame;
  readonly rows: Uint32Array;
  /** Their stored texts, if any projection needs them, by projection; there may be more. */
  readonly texts: readonly (readonly string[] | undefined)[];
}

const NOTHING = toPhrase('');

export class Projector {
  readonly projections: readonly PrintedProjection[];
  readonly #runtime: Runtime;
  /** The text before each value, and after the last. */
  readonly #prefixes: readonly Phrase[];
  readonly #suffix: Phrase;

  constructor(runtime: Runtime) {
    const { select, wholeValues } = runtime.shape;
    this.#runtime = runtime;
    const isStruct = select.shape === 'struct';
    const prefixes = select.projections.map(({ name }, index) =>
      isStruct ? `${index === 0 ? '{' : ','}${JSON.stringify(name)}:` : '',
    );
    this.#prefixes = prefixes.map(toPhrase);
    this.#suffix = toPhrase(isStruct ? '},' : ',');
    this.projections = select.projections.map(({ expression }, index): PrintedProjection => {
      const key = runtime.rowKey(expression);
      const strings = key.column && new StringPhrases(key.column.strings, prefixes[index] ?? '');
      return { key, whole: wholeValues.get(index), strings };
    });
  }

  /** True when rows can be printed without reading the store. */
  get isFromColumns(): boolean {
    return this.projections.every(({ whole }) => whole === undefined);
  }

  /** The first of these rows, at least one, with their stored texts. */
  async readTexts(frame: Frame, rows: Uint32Array): Promise<WrittenRows> {
    const texts: (readonly string[] | undefined)[] = [];
    let count = rows.length;
    for (const { whole: iterator } of this.projections) {
      if (iterator === undefined) {
        texts.push(undefined);
        continue;
      }
      const numbers = Array.from(rows.subarray(0, count), (row) =>
        frame.rowNumberAt(iterator, row),
      );
      const found = await this.#runtime.tableOf(iterator).readTexts(numbers);
      count = found.length;
      texts.push(found);
    }
    return { frame, rows: rows.subarray(0, count), texts };
  }

  /** Whether values have to be computed row by row. */
  get isComputed(): boolean {
    return this.projections.some(isComputed);
  }

  /** Fails if a projection of these rows fails, and has no other effect. */
  tryRows(frame: Frame, rows: Uint32Array): void {
    for (const row of rows) {
      for (const each of this.projections) if (isComputed(each)) each.key.read(frame, row);
    }
  }

  /** Appends rows, each followed by a comma: all, or as many as make the writer full. */
  write({ frame, rows, texts }: WrittenRows, writer: JsonWriter): number {
    const { form } = writer;
    const members = this.projections.map(({ key, whole, strings }, at): WrittenMember => {
      const prefix = this.#prefixes[at] ?? NOTHING;
      const { columnNumber, column, read } = key;
      if (column !== undefined && strings !== undefined) {
        return { prefix, vector: frame.vector(columnNumber), strings, column };
      }
      const print = (index: number): string =>
        whole === undefined
          ? printJson(read(frame, rows[index] ?? 0), form)
          : printStored(texts[at]?.[index] ?? 'null', form);
      return { prefix, vector: undefined, print };
    });
    return writer.writeRows(members, rows, this.#suffix);
  }
}
