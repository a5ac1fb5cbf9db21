// The sinks of a result: rows as JSON (`json-writer.ts`), and as values for subqueries. A plan runs in
// the same way for every sink.

import { parseJson } from '../../../../value/json-parse.ts';
import { type List, Struct, type Value } from '../../../../value/value.ts';
import type { Runtime } from '../runtime.ts';
import type { Projector, WrittenRows } from './projection.ts';

export interface Piece {
  readonly rows: number;
}

export interface RowSink<P extends Piece> {
  /** Whether the next piece should be taken before more is written. */
  readonly isFull: boolean;
  /** Writes rows of a frame: all of them, or as many as fill the piece. Returns how many. */
  writeRows(projector: Projector, written: WrittenRows): number;
  /** Writes a result row that is already a value, such as a group or a count. */
  writeValue(value: Value): void;
  /** The output since the last call; undefined if there is none. */
  take(): P | undefined;
}

export interface ValueRows extends Piece {
  readonly values: List;
}

/** Values created between two yield points. */
const MAX_VALUES = 64;

export class ValueSink implements RowSink<ValueRows> {
  readonly #runtime: Runtime;
  #values: Value[] = [];

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  get isFull(): boolean {
    return this.#values.length >= MAX_VALUES;
  }

  writeRows(projector: Projector, { frame, rows, texts }: WrittenRows): number {
    const { select } = this.#runtime.shape;
    const names = select.projections.map(({ name }) => name);
    const batch = rows.subarray(0, MAX_VALUES);
    this.#runtime.budget.keep(batch.length, this.#runtime.location);
    for (const [index, row] of batch.entries()) {
      const parts = projector.projections.map(({ key, whole, absent }, at) => {
        if (whole === undefined) return key.read(frame, row);
        const text = texts[at]?.[index];
        return text === undefined ? absent : parseJson(text);
      });
      this.#values.push(select.shape === 'struct' ? new Struct(names, parts) : (parts[0] ?? null));
    }
    return batch.length;
  }

  writeValue(value: Value): void {
    this.#values.push(value);
  }

  take(): ValueRows | undefined {
    if (this.#values.length === 0) return undefined;
    const values = this.#values;
    this.#values = [];
    return { rows: values.length, values };
  }
}
