// One long stream on its connection. While the client takes one piece the next one is made, and
// written when the client has taken the first: a client that does not read holds two pieces at
// most. While nothing is to be sent, signs of life are.

import type { Outgoing } from '../response/outgoing.ts';
import type { LongStream } from './long-stream.ts';
import { printFailure, printHeartbeat, printOpening, printRetry } from './stream-form.ts';

/** Why a stream ended. */
export type StreamEnd =
  /** The client went away. */
  | 'client'
  /** The service is stopping. */
  | 'draining'
  /** Logins were replaced, or the login of the stream has expired: the client logs in anew. */
  | 'login'
  /** Nothing more will come. */
  | 'finished'
  /** The changes that come next were trimmed. */
  | 'fell-behind'
  | 'failed';

export interface Failure {
  /** Name of the event that says so. */
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
  #onTaken: () => void = () => undefined;
  /** The last position that was sent to the client. */
  #toldPlace: string | undefined;
  /** The place after all that was sent. The stream's own is further when a piece is not sent. */
  #sentPlace: string | undefined;
  #hasUnsentPiece = false;

  constructor(options: OpenStreamOptions) {
    this.#options = options;
  }

  /** Ends the stream soon, with an event that asks the client to reconnect. */
  end(cause: Exclude<StreamEnd, 'client' | 'failed' | 'fell-behind'>): void {
    this.#stop(cause);
  }

  /** Sends until the end and says what ended it. The head must be written. Never fails. */
  async run(): Promise<StreamEnd> {
    const { outgoing, stream } = this.#options;
    const { form, heartbeatMs } = stream;
    const onClose = (): void => this.#stop('client');
    // A sign of life finds out whether a client that closed its half is still there.
    const onHalfClosed = (): void => this.#beat();
    const onDrain = (): void => {
      this.#isFull = false;
      this.#onTaken();
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
      this.#toldPlace = this.#notePlace();
      outgoing.write(printOpening(form, this.#toldPlace));
      await this.#sendPieces(heartbeat);
      last = printRetry(form, this.#hasUnsentPiece ? this.#sentPlace : this.#notePlace());
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
      if (this.#isFull) await this.#taken();
      if (this.#end !== undefined) return;
      this.#hasUnsentPiece = false;
      this.#isFull = !outgoing.write(bytes);
      this.#notePlace();
      onSent(events, bytes.length);
      this.#toldPlace = lastId ?? this.#toldPlace;
      heartbeat.refresh();
    }
  }

  #beat(): void {
    // A client that has not taken the last piece gets nothing on top of it.
    if (this.#isFull || this.#end !== undefined) return;
    const place = this.#notePlace();
    const hasMoved = place !== this.#toldPlace;
    this.#toldPlace = place;
    const { outgoing, stream } = this.#options;
    outgoing.write(printHeartbeat(stream.form, hasMoved ? place : undefined));
  }

  /** Called while no piece is made: the place is then after all that was sent. */
  #notePlace(): string | undefined {
    this.#sentPlace = this.#options.stream.place?.();
    return this.#sentPlace;
  }

  /** The first cause counts. */
  #stop(cause: StreamEnd): void {
    if (this.#end !== undefined) return;
    this.#end = cause;
    this.#abort.abort();
  }

  /** Settles when the client has read the pending bytes, or the stream ends. */
  #taken(): Promise<void> {
    const { signal } = this.#abort;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = (): void => {
        this.#onTaken = () => undefined;
        signal.removeEventListener('abort', settle);
        resolve();
      };
      this.#onTaken = settle;
      signal.addEventListener('abort', settle);
    });
  }
}
