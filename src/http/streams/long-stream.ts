// An answer without an end: a change feed, or a live query. `open-stream.ts` sends it piece by
// piece as its client reads, and it does not count as a request in flight.

import type { StreamForm } from './stream-form.ts';

/** The kind of stream, as metrics and log name it. */
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
   * Pieces in order, each made when the one before it was taken. The signal aborts when either side
   * ends the stream, and must end any wait. An error that it throws ends the stream with an error
   * event.
   */
  readonly pieces: (signal: AbortSignal) => AsyncIterable<StreamPiece>;
  /** Where a client would resume that has taken every piece given so far. */
  readonly place?: () => string | undefined;
  /** Called instead of `pieces` where the stream is not sent after all. */
  readonly discard?: () => void;
}
