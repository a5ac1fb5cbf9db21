// An endless answer: a change feed or a live query. `open-stream.ts` sends it piece by piece as its
// client reads, and it does not count as a request in flight.

import type { StreamForm } from './stream-form.ts';

/** The kind of stream, for metrics and log. */
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
   * Pieces in order, each made when the previous one was consumed. The signal aborts when either
   * side ends the stream, and must end any wait. An error that it throws ends the stream with an
   * error event.
   */
  readonly pieces: (signal: AbortSignal) => AsyncIterable<StreamPiece>;
  /** The id with which a client resumes after all pieces so far. */
  readonly resumeId?: () => string | undefined;
  /** Called instead of `pieces` if the stream is not sent. */
  readonly discard?: () => void;
}
