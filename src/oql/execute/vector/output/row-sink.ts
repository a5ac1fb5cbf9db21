// Where the rows of a result go. A plan is run the same way whatever becomes of its rows: the sink
// takes them as JSON, as values, or in any other form.

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
  /** Takes rows of a frame: all of them, or as many as make it full. Tells how many. */
  writeRows(
    projector: Projector,
    frame: Frame,
    rows: Uint32Array,
    texts: StoredTexts['byProjection'] | undefined,
  ): number;
  /** Takes a result row that is a value already, such as a group or a count. */
  writeValue(value: Value): void;
  /** The output since the last call; undefined if there is none. */
  take(): P | undefined;
}
