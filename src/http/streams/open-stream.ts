// One long stream on its connection. While the client reads one piece, the next one is made, and
// written when the client has read the first. So a client that does not read holds at most two
// pieces. Sends heartbeats while there are no events.

import type { Outgoing } from '../response/outgoing.ts';
import type { LongStream } from './long-stream.ts';
import { printFailure, printHeartbeat, printOpening, printRetry } from './stream-form.ts';

/** Why a stream ended. */
export type StreamEnd =
  /** The client disconnected. */
  | 'client'
  /** The service is stopping. */
  | 'draining'
  /** Logins were replaced, or the login of the stream expired: the client must log in again. */
  | 'login'
  /** The stream is complete. */
  | 'finished'
  /** The next changes were trimmed from the log. */
  | 'fell-behind'
  | 'failed';

export interface Failure {
  /** Name of the error event. */
  readonly event: string;
  /** The JSON of an error answer. */
  readonly json: string;
  readonly end: Extract<StreamEnd, 'fell-behind' | 'failed'>;
}

export interface OpenStreamOptions {
  readonly stream: LongStream;
  readonly outgoing: Outgoing;
  readonly describeFailure: (error: unknown) => Failure;
  readonly onSent: (events: number, bytes: number) => void;
}

export class OpenStream {
  readonly #options: OpenStreamOptions;
  readonly #abort = new AbortController();
  #end: StreamEnd | undefined;
  /** Whether the client has yet to read pending bytes. */
  #isFull = false;
  #onDrained: () => void = () => undefined;
  /** The last id that was sent to the client. */
  #lastSentId: string | undefined;
  /** The id after everything that was sent. The stream's own is ahead while a piece is not sent. */
  #currentId: string | undefined;
  #hasUnsentPiece = false;

  constructor(options: OpenStreamOptions) {
    this.#options = options;
  }

  /** Ends the stream soon, with an event that asks the client to reconnect. */
  end(cause: Exclude<StreamEnd, 'client' | 'failed' | 'fell-behind'>): void {
    this.#stop(cause);
  }

  /** Sends until the end and returns its cause. The head must be written. Never throws. */
  async run(): Promise<StreamEnd> {
    const { outgoing, stream } = this.#options;
    const { form, heartbeatMs } = stream;
    const onClose = (): void => this.#stop('client');
    // A heartbeat detects whether a half-closed client is still there.
    const onHalfClosed = (): void => this.#beat();
    const onDrain = (): void => {
      this.#isFull = false;
      this.#onDrained();
    };
    outgoing.on('close', onClose);
    outgoing.on('drain', onDrain);
    outgoing.on('half-closed', onHalfClosed);
    if (outgoing.destroyed) onClose();
    const heartbeat = setTimeout(() => {
      this.#beat();
      heartbeat.refresh();
    }, heartbeatMs);
    let last = '';
    try {
      this.#lastSentId = this.#updateId();
      outgoing.write(printOpening(form, this.#lastSentId));
      await this.#sendPieces(heartbeat);
      last = printRetry(form, this.#hasUnsentPiece ? this.#currentId : this.#updateId());
    } catch (error) {
      const failure = this.#options.describeFailure(error);
      this.#stop(failure.end);
      last = printFailure(form, failure.event, failure.json);
    } finally {
      clearTimeout(heartbeat);
      outgoing.off('close', onClose);
      outgoing.off('drain', onDrain);
      outgoing.off('half-closed', onHalfClosed);
    }
    const end = this.#end ?? 'finished';
    this.#stop(end);
    if (!outgoing.destroyed) {
      outgoing.write(last);
      outgoing.end();
    }
    return end;
  }

  async #sendPieces(heartbeat: NodeJS.Timeout): Promise<void> {
    const { outgoing, onSent, stream } = this.#options;
    for await (const { bytes, events, lastId } of stream.pieces(this.#abort.signal)) {
      this.#hasUnsentPiece = true;
      if (this.#isFull) await this.#drained();
      if (this.#end !== undefined) return;
      this.#hasUnsentPiece = false;
      this.#isFull = !outgoing.write(bytes);
      this.#updateId();
      onSent(events, bytes.length);
      this.#lastSentId = lastId ?? this.#lastSentId;
      heartbeat.refresh();
    }
  }

  #beat(): void {
    // A client that has not read the last piece gets no heartbeat.
    if (this.#isFull || this.#end !== undefined) return;
    const id = this.#updateId();
    const hasMoved = id !== this.#lastSentId;
    this.#lastSentId = id;
    const { outgoing, stream } = this.#options;
    outgoing.write(printHeartbeat(stream.form, hasMoved ? id : undefined));
  }

  /** Call it while no piece is being made: the id is then after everything that was sent. */
  #updateId(): string | undefined {
    this.#currentId = this.#options.stream.resumeId?.();
    return this.#currentId;
  }

  /** Only the first cause is kept. */
  #stop(cause: StreamEnd): void {
    if (this.#end !== undefined) return;
    this.#end = cause;
    this.#abort.abort();
  }

  /** Settles when the client has read the pending bytes, or the stream ends. */
  #drained(): Promise<void> {
    const { signal } = this.#abort;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = (): void => {
        this.#onDrained = () => undefined;
        signal.removeEventListener('abort', settle);
        resolve();
      };
      this.#onDrained = settle;
      signal.addEventListener('abort', settle);
    });
  }
}
