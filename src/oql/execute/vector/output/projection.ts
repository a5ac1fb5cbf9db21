// SELECT over frames: prints rows as JSON, each projection from the cheapest source that has it.

import type { SourceColumn } from '../../../../value/column-data.ts';
import { printJson } from '../../../../value/json-print.ts';
import type { RowKey } from '../codes/row-encoder.ts';
import type { Frame } from '../frames/frame.ts';
import type { Runtime } from '../runtime.ts';
import { type JsonWriter, printStored, type WrittenMember } from './json-writer.ts';
import { type Phrase, StringPhrases, toPhrase } from './phrases.ts';

export type Projection = { readonly key: RowKey } & (
  | {
      readonly kind: 'column';
      readonly columnNumber: number;
      readonly column: SourceColumn;
      readonly strings: StringPhrases;
    }
  /** The stored value of a row of a region. */
  | { readonly kind: 'whole'; readonly iterator: number }
  | { readonly kind: 'computed' }
);

export interface StoredTexts {
  /** How many rows they are of. */
  readonly rows: number;
  /** Undefined for projections that need none; may be longer than `rows`. */
  readonly byProjection: readonly (readonly string[] | undefined)[];
}

const NOTHING = toPhrase('');

export class Projector {
  readonly projections: readonly Projection[];
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
    this.projections = select.projections.map(({ expression }, index): Projection => {
      const key = runtime.rowKey(expression, ({ projections }) => projections[index]);
      const { columnNumber, column } = key;
      const iterator = wholeValues.get(index);
      if (iterator !== undefined) return { key, kind: 'whole', iterator };
      if (column === undefined) return { key, kind: 'computed' };
      const strings = new StringPhrases(column.strings, prefixes[index] ?? '');
      return { key, kind: 'column', columnNumber, column, strings };
    });
  }

  /** True when rows can be printed without reading the store. */
  get isFromColumns(): boolean {
    return this.projections.every(({ kind }) => kind !== 'whole');
  }

  /** Stored texts of the first of these rows, of at least one. */
  async readTexts(frame: Frame, rows: Uint32Array): Promise<StoredTexts> {
    const byProjection: (readonly string[] | undefined)[] = [];
    let count = rows.length;
    for (const projection of this.projections) {
      if (projection.kind !== 'whole') {
        byProjection.push(undefined);
        continue;
      }
      const { iterator } = projection;
      const numbers = Array.from(rows.subarray(0, count), (row) =>
        frame.rowNumberAt(iterator, row),
      );
      const texts = await this.#runtime.tableOf(iterator).readTexts(numbers);
      count = texts.length;
      byProjection.push(texts);
    }
    return { rows: count, byProjection };
  }

  /** Whether values have to be computed row by row. */
  get isComputed(): boolean {
    return this.projections.some(({ kind }) => kind === 'computed');
  }

  /** Appends rows, each followed by a comma: all, or as many as make the writer full. */
  write(
    frame: Frame,
    rows: Uint32Array,
    writer: JsonWriter,
    texts?: StoredTexts['byProjection'],
  ): number {
    const { form } = writer;
    const members = this.projections.map((projection, at): WrittenMember => {
      const prefix = this.#prefixes[at] ?? NOTHING;
      if (projection.kind === 'column') {
        const { columnNumber, column, strings } = projection;
        return { prefix, vector: frame.vector(columnNumber), strings, column };
      }
      const print = (index: number): string =>
        projection.kind === 'whole'
          ? printStored(texts?.[at]?.[index] ?? 'null', form)
          : printJson(projection.key.compute(frame, rows[index] ?? 0), form);
      return { prefix, vector: undefined, print };
    });
    return writer.writeRows(members, rows, this.#suffix);
  }
}
