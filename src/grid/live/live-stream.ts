// One consumer of a live query. It reads the result and its log at its own pace, and gets a new
// snapshot if the log no longer goes back to its position.

import type { LiveEvent } from './live-event.ts';
import type { LiveRow } from './live-row.ts';
import type { LiveSource } from './live-source.ts';

/** How a stream reaches its source; provided by the registry. */
export interface StreamParts {
  /** The source of the current text: that of a named query may change. */
  readonly findSource: () => Promise<LiveSource>;
  readonly release: (source: LiveSource) => void;
  readonly onDeltas: (count: number) => void;
  readonly onClose: () => void;
  /** Yields to other requests. */
  readonly pause: () => Promise<void>;
  /** The sequence of the rows that the consumer has, if any. */
  readonly resumeAt: number | undefined;
}

/** Maximum rows of a piece of a snapshot. */
const PIECE_ROWS = 256;
const PIECE_SIZE = 64 * 1024;

export class LiveStream {
  readonly #parts: StreamParts;
  #source: LiveSource;
  #stopListening: () => void;
  #wake: () => void = () => undefined;
  #isStale = false;
  #isClosed = false;

  constructor(source: LiveSource, parts: StreamParts) {
    this.#source = source;
    this.#parts = parts;
    this.#stopListening = source.result.listen(() => this.#wake());
  }

  /**
   * Endless events, in order; throws when the query fails. Nothing is read ahead: each event is
   * made on demand.
   */
  async *events(): AsyncGenerator<LiveEvent> {
    try {
      let position = yield* this.#begin();
      while (!this.#isClosed) {
        if (await this.#changeSource()) position = yield* this.#snapshot(true);
        const { failure, log } = this.#source.result;
        if (failure !== undefined) throw failure.error;
        if (position < log.end) position = yield* this.#deltas(position);
        else await this.#waitForChange(position);
      }
    } finally {
      this.close();
    }
  }

  /** Call it when the text of its query may have changed. */
  reconsider(): void {
    this.#isStale = true;
    this.#wake();
  }

  /** Ends the stream. Safe to call twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopListening();
    this.#parts.release(this.#source);
    this.#parts.onClose();
    this.#wake();
  }

  /** The difference to the consumer's rows if it is known, else all rows. */
  async *#begin(): AsyncGenerator<LiveEvent, number> {
    const { resumeAt } = this.#parts;
    const { log, sequence } = this.#source.result;
    const position = resumeAt === undefined ? undefined : log.positionAt(resumeAt);
    if (position === undefined) return yield* this.#snapshot(resumeAt !== undefined);
    const next = yield* this.#deltas(position);
    yield { kind: 'ready', sequence };
    return next;
  }

  /** The difference since a position, or a snapshot if it is no longer known. */
  async *#deltas(position: number): AsyncGenerator<LiveEvent, number> {
    const { log, sequence } = this.#source.result;
    const deltas = log.since(position);
    if (deltas === undefined) return yield* this.#snapshot(true);
    const { end } = log;
    if (deltas.length > 0) {
      this.#parts.onDeltas(deltas.length);
      yield { kind: 'deltas', deltas, sequence };
    }
    return end;
  }

  async *#snapshot(isReset: boolean): AsyncGenerator<LiveEvent, number> {
    const { result } = this.#source;
    const { sequence } = result;
    const { end } = result.log;
    let isFirst = true;
    for (const rows of cutRows(result.listRows())) {
      if (!isFirst) await this.#parts.pause();
      yield { kind: 'snapshot', rows, isReset: isReset && isFirst };
      isFirst = false;
    }
    yield { kind: 'ready', sequence };
    return end;
  }

  /** Whether the stream now follows another text. */
  async #changeSource(): Promise<boolean> {
    if (!this.#isStale) return false;
    this.#isStale = false;
    const source = await this.#parts.findSource();
    const isOther = source !== this.#source && !this.#isClosed;
    // Each find counts as another consumer.
    this.#parts.release(isOther ? this.#source : source);
    if (!isOther) return false;
    this.#stopListening();
    this.#source = source;
    this.#stopListening = source.result.listen(() => this.#wake());
    return true;
  }

  #waitForChange(position: number): Promise<void> {
    const { result } = this.#source;
    return new Promise((resolve) => {
      this.#wake = resolve;
      const isBehind = position < result.log.end || result.failure !== undefined;
      if (isBehind || this.#isStale || this.#isClosed) resolve();
    });
  }
}

/** At least one piece, so that an empty result is sent too. */
function* cutRows(rows: readonly LiveRow[]): Generator<readonly LiveRow[]> {
  let piece: LiveRow[] = [];
  let size = 0;
  let pieces = 0;
  for (const row of rows) {
    piece.push(row);
    size += row.id.length + row.row.length;
    if (piece.length < PIECE_ROWS && size < PIECE_SIZE) continue;
    yield piece;
    pieces += 1;
    piece = [];
    size = 0;
  }
  if (piece.length > 0 || pieces === 0) yield piece;
}
