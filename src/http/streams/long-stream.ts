// An answer that has no end of its own: a change feed, a live query. It is sent by
// `open-stream.ts`, piece by piece as its client takes them, and is no request in flight.

import type { StreamForm } from './stream-form.ts';

/** What a stream carries; metrics and log name it so. */
export type StreamKind = 'changes' | 'live';

/** Some events, printed in the form of the stream. The bytes may be shared with other streams. */
export interface StreamPiece {
  readonly bytes: string | Uint8Array;
  readonly events: number;
  /** The id of the last event that has one, where the form shows ids. */
  readonly lastId?: string | undefined;
}

export interface LongStream {
  readonly kind: StreamKind;
  readonly form: StreamForm;
  readonly heartbeatMs: number;
  /**
   * Pieces in order, each made when the one before it was taken. The signal is aborted when the
   * stream ends, from either side; waiting must then end too. What it throws ends the stream with
   * an event that says so.
   */
  readonly pieces: (signal: AbortSignal) => AsyncIterable<StreamPiece>;
  /** Where a client would resume that has taken every piece given so far. */
  readonly place?: () => string | undefined;
  /** Called instead of `pieces` where the stream is not sent after all. */
  readonly discard?: () => void;
}
