// Result rows as JSON.

import { printJson } from '../../../../value/json-print.ts';
import type { ResultForm } from '../../../../value/result-form.ts';
import type { Value } from '../../../../value/value.ts';
import type { Frame } from '../frames/frame.ts';
import { JsonWriter } from './json-writer.ts';
import type { Projector, StoredTexts } from './projection.ts';
import type { Piece, RowSink } from './row-sink.ts';

/** Result rows as JSON, joined by commas. */
export interface JsonRows extends Piece {
  readonly json: Uint8Array;
}

export class JsonSink implements RowSink<JsonRows> {
  readonly #writer: JsonWriter;
  #rows = 0;

  constructor(form?: ResultForm) {
    this.#writer = new JsonWriter(form);
  }

  get isFull(): boolean {
    return this.#writer.isFull;
  }

  writeRows(
    projector: Projector,
    frame: Frame,
    rows: Uint32Array,
    texts: StoredTexts['byProjection'] | undefined,
  ): number {
    const count = projector.write(frame, rows, this.#writer, texts);
    this.#rows += count;
    return count;
  }

  writeValue(value: Value): void {
    this.#writer.writeText(`${printJson(value, this.#writer.form)},`);
    this.#rows += 1;
  }

  take(): JsonRows | undefined {
    if (this.#rows === 0) return undefined;
    const rows = this.#rows;
    this.#rows = 0;
    const json = this.#writer.take();
    // Every row was followed by a comma.
    return { rows, json: json.subarray(0, json.length - 1) };
  }
}
