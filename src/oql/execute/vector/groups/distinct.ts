// DISTINCT over frames: lets a row pass when its projections, taken together, are seen for the
// first time.

import { KeyEncoder } from '../codes/key-encoder.ts';
import { PairEncoder } from '../codes/pair-encoder.ts';
import type { Frame } from '../frames/frame.ts';
import type { Projector } from '../output/projection.ts';
import type { Runtime } from '../runtime.ts';

export class DistinctFilter {
  readonly #runtime: Runtime;
  readonly #projector: Projector;
  readonly #encoders: readonly KeyEncoder[];
  readonly #pairs: readonly PairEncoder[];
  #seen = 0;

  constructor(runtime: Runtime, projector: Projector) {
    this.#runtime = runtime;
    this.#projector = projector;
    this.#encoders = projector.projections.map(
      (projection) => new KeyEncoder(projection.kind === 'column' ? projection.column : undefined),
    );
    this.#pairs = this.#encoders.slice(1).map(() => new PairEncoder());
  }

  filter(frame: Frame, rows: Uint32Array): Uint32Array {
    if (rows.length === 0) return rows;
    const codes = this.#encode(0, frame, rows);
    this.#pairs.forEach((pair, index) => {
      const others = this.#encode(index + 1, frame, rows);
      for (let at = 0; at < codes.length; at += 1) {
        codes[at] = pair.encode(codes[at] ?? 0, others[at] ?? 0);
      }
    });
    const kept = new Uint32Array(rows.length);
    let count = 0;
    for (let at = 0; at < codes.length; at += 1) {
      // Codes are given in order, so a new one is the highest so far.
      if ((codes[at] ?? 0) < this.#seen) continue;
      this.#seen = (codes[at] ?? 0) + 1;
      kept[count] = rows[at] ?? 0;
      count += 1;
    }
    this.#runtime.budget.keep(count, this.#runtime.place);
    return kept.subarray(0, count);
  }

  #encode(index: number, frame: Frame, rows: Uint32Array): Uint32Array {
    const codes = new Uint32Array(rows.length);
    const projection = this.#projector.projections[index];
    const encoder = this.#encoders[index];
    if (projection?.kind === 'column') {
      encoder?.encode(frame.vector(projection.slot), rows, codes);
    } else if (projection?.kind === 'computed') {
      for (let at = 0; at < rows.length; at += 1) {
        const value = this.#projector.compute(projection, frame, rows[at] ?? 0);
        codes[at] = encoder?.encodeValue(value) ?? 0;
      }
    }
    return codes;
  }
}
