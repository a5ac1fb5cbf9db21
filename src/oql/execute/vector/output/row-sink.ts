// The sink of a result. A plan runs in the same way for every sink: as JSON, as values, or in
// another form.

import type { Value } from '../../../../value/value.ts';
import type { Frame } from '../frames/frame.ts';
import type { Projector, StoredTexts } from './projection.ts';

/** A part of the result. */
export interface Piece {
  readonly rows: number;
}

export interface RowSink<P extends Piece> {
  /** Whether the next piece should be taken before more is written. */
  readonly isFull: boolean;
  /** Writes rows of a frame: all of them, or as many as fill the piece. Returns how many. */
  writeRows(
    projector: Projector,
    frame: Frame,
    rows: Uint32Array,
    texts: StoredTexts['byProjection'] | undefined,
  ): number;
  /** Writes a result row that is already a value, such as a group or a count. */
  writeValue(value: Value): void;
  /** The output since the last call; undefined if there is none. */
  take(): P | undefined;
}
