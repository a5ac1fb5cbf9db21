// DISTINCT over frames: keeps the first row of each combination of projected values.

import { RowEncoder } from '../codes/row-encoder.ts';
import type { Frame } from '../frames/frame.ts';
import type { Projector } from '../output/projection.ts';
import type { Runtime } from '../runtime.ts';

export class DistinctFilter {
  readonly #runtime: Runtime;
  readonly #encoder: RowEncoder;
  #seen = 0;

  constructor(runtime: Runtime, { projections }: Projector) {
    this.#runtime = runtime;
    this.#encoder = new RowEncoder(projections.map(({ key }) => key));
  }

  filter(frame: Frame, rows: Uint32Array): Uint32Array {
    if (rows.length === 0) return rows;
    const codes = new Uint32Array(rows.length);
    this.#encoder.encode(frame, rows, codes);
    const kept = new Uint32Array(rows.length);
    let count = 0;
    for (let at = 0; at < codes.length; at += 1) {
      // Codes are assigned in order, so a new one is the highest so far.
      if ((codes[at] ?? 0) < this.#seen) continue;
      this.#seen = (codes[at] ?? 0) + 1;
      kept[count] = rows[at] ?? 0;
      count += 1;
    }
    this.#runtime.budget.keep(count, this.#runtime.location);
    return kept.subarray(0, count);
  }
}
