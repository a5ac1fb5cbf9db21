// Result rows as values, for subqueries.

import { parseJson } from '../../../../value/json-parse.ts';
import { type List, Struct, type Value } from '../../../../value/value.ts';
import type { Frame } from '../frames/frame.ts';
import type { Runtime } from '../runtime.ts';
import type { Projector, StoredTexts } from './projection.ts';
import type { Piece, RowSink } from './row-sink.ts';

export interface ValueRows extends Piece {
  readonly values: List;
}

/** Values created between two yield points. */
const MOST_VALUES = 64;

export class ValueSink implements RowSink<ValueRows> {
  readonly #runtime: Runtime;
  #values: Value[] = [];

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  get isFull(): boolean {
    return this.#values.length >= MOST_VALUES;
  }

  writeRows(
    projector: Projector,
    frame: Frame,
    rows: Uint32Array,
    texts: StoredTexts['byProjection'] | undefined,
  ): number {
    const { select } = this.#runtime.shape;
    const names = select.projections.map(({ name }) => name);
    const some = rows.subarray(0, MOST_VALUES);
    this.#runtime.budget.keep(some.length, this.#runtime.location);
    for (const [index, row] of some.entries()) {
      const parts = projector.projections.map(({ key, whole }, at) =>
        whole === undefined ? key.read(frame, row) : parseJson(texts?.[at]?.[index] ?? 'null'),
      );
      this.#values.push(select.shape === 'struct' ? new Struct(names, parts) : (parts[0] ?? null));
    }
    return some.length;
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
