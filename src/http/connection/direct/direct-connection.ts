// A connection whose plain requests are read directly from the socket, one after another. The first
// request that is not plain hands the connection over to Node's parser for good, with all
// unanswered bytes.

import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { probeHalfClosed } from '../half-closed.ts';
import { closeLingering, ignoreSocketError } from '../lingering-close.ts';
import type { AnswerHeads } from './answer-heads.ts';
import { type AnswerOptions, DirectAnswer } from './direct-answer.ts';
import {
  type KnownFields,
  type PlainFields,
  type PlainRequest,
  parsePlainRequest,
} from './plain-request.ts';
import type { WriteBatch } from './write-batch.ts';

export interface ConnectionOptions {
  readonly heads: AnswerHeads;
  /** Shared by all connections. */
  readonly batch: WriteBatch;
  /** Shared by all connections. */
  readonly knownFields: KnownFields;
  readonly serve: (request: PlainRequest, answer: DirectAnswer) => void;
  /** The bytes are back in the socket and begin a request; no answer is being sent. */
  readonly handOver: (socket: Socket, bytes: Buffer) => void;
  readonly onClose: () => void;
}

export class DirectConnection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #answerOptions: AnswerOptions;
  readonly #onData = (bytes: Buffer): void => this.#receive(bytes);
  readonly #onEnd = (): void => this.#endInput();
  readonly #onDrain = (): void => {
    if (this.#answer === undefined) this.#continue();
    else this.#answer.emit('drain');
  };
  readonly #onClose = (): void => {
    this.#isEnded = true;
    this.#release();
    this.#answer?.emit('close');
  };
  #fields: PlainFields | undefined;
  /** The answer to the request that is being served. */
  #answer: DirectAnswer | undefined;
  /** Bytes that came after that request; the socket is paused until they are parsed. */
  #unparsed: Buffer | undefined;
  #isReading = false;
  /** Nothing more is read or answered. */
  #isEnded = false;
  /**
   * The client closed its half, but may still wait for answers. The stream sees the end only after
   * every byte was answered or handed over: bytes cannot be put back into a stream that has ended.
   */
  #isClientDone = false;
  /** Requests answered. */
  requests = 0;
  /** Idle checks since its last request. */
  checks = 0;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#answerOptions = {
      socket,
      heads: options.heads,
      batch: options.batch,
      onWritten: (connection) => this.#answered(connection),
    };
    socket.on('data', this.#onData);
    socket.push = (bytes: Buffer | null) => this.#take(bytes);
    socket.on('end', this.#onEnd);
    socket.on('drain', this.#onDrain);
    socket.on('close', this.#onClose);
    socket.on('error', ignoreSocketError);
  }

  /** No request is being served, and nothing is being sent. */
  get isIdle(): boolean {
    return this.#answer === undefined && this.#socket.writableLength === 0;
  }

  get socket(): Socket {
    return this.#socket;
  }

  /**
   * Replaces the stream's `push` while it would emit the bytes at once. Its own path to `data`
   * schedules a tick that polls for more input, which a socket does not need.
   */
  #take(bytes: Buffer | null): boolean {
    const socket = this.#socket;
    if (bytes === null && !this.#isEnded) {
      this.#endInput();
      return false;
    }
    const wouldEmitNow = socket.readableFlowing === true && socket.readableLength === 0;
    if (bytes === null || bytes.length === 0 || !wouldEmitNow) {
      return Duplex.prototype.push.call(socket, bytes);
    }
    this.#receive(bytes);
    return true;
  }

  #receive(bytes: Buffer): void {
    if (this.#isEnded) return;
    this.checks = 0;
    if (this.#answer === undefined && this.#unparsed === undefined) {
      this.#read(bytes);
      if (this.#isClientDone) this.#endIfAnswered();
    } else {
      this.#keep(this.#unparsed === undefined ? bytes : Buffer.concat([this.#unparsed, bytes]));
    }
  }

  #keep(bytes: Buffer): void {
    this.#unparsed = bytes;
    this.#socket.pause();
  }

  /** Serves the requests in the bytes, for as long as each is answered at once. */
  #read(bytes: Buffer): void {
    this.#isReading = true;
    let unread: Buffer | undefined = bytes;
    while (unread !== undefined && this.#answer === undefined && !this.#isEnded) {
      const request = parsePlainRequest({
        bytes: unread,
        socket: this.#socket,
        lastFields: this.#fields,
        knownFields: this.#options.knownFields,
      });
      if (request === undefined) {
        this.#handOver(unread);
        return;
      }
      this.#fields = request.fields;
      unread = request.end < unread.length ? unread.subarray(request.end) : undefined;
      this.#serve(request);
      // A client that does not read its answers gets no more of them.
      if (this.#socket.writableNeedDrain) break;
    }
    this.#isReading = false;
    if (unread !== undefined) this.#keep(unread);
    else if (this.#socket.writableNeedDrain) this.#socket.pause();
  }

  #serve(request: PlainRequest): void {
    this.#answer = new DirectAnswer(request, this.#answerOptions);
    this.requests += 1;
    if (this.#isClientDone) this.#probeHalfClosed();
    this.#options.serve(request, this.#answer);
  }

  #answered(connection: 'kept' | 'closed'): void {
    this.#answer = undefined;
    this.checks = 0;
    if (connection === 'closed') {
      this.#closeLingering();
    } else if (!(this.#isReading || this.#isEnded)) this.#continue();
  }

  /** Parses bytes that came meanwhile, unless the client must read its answers first. */
  #continue(): void {
    if (this.#socket.writableNeedDrain) {
      this.#socket.pause();
      return;
    }
    const bytes = this.#unparsed;
    this.#unparsed = undefined;
    if (bytes !== undefined) this.#read(bytes);
    if (!this.#isFree) return;
    if (this.#socket.isPaused()) this.#socket.resume();
    if (this.#isClientDone) this.#endIfAnswered();
  }

  /** Nothing is being served, and no bytes wait here; the stream itself may hold some. */
  get #isFree(): boolean {
    return this.#answer === undefined && this.#unparsed === undefined && !this.#isEnded;
  }

  /**
   * The client closed its half. It may be gone, or wait for its answers, as `printf … | nc` does.
   * Answers are sent; a write detects a client that is gone.
   */
  #endInput(): void {
    this.#isClientDone = true;
    if (this.#answer === undefined) this.#endIfAnswered();
    else this.#probeHalfClosed();
  }

  #endIfAnswered(): void {
    if (!this.#isFree || this.#socket.readableLength > 0) return;
    this.#closeLingering();
  }

  #closeLingering(): void {
    this.#isEnded = true;
    if (this.#isClientDone) Duplex.prototype.push.call(this.#socket, null);
    closeLingering(this.#socket);
  }

  #probeHalfClosed(): void {
    const answer = this.#answer;
    if (answer !== undefined) probeHalfClosed(this.#socket, () => answer.writeContinue());
  }

  #handOver(bytes: Buffer): void {
    const socket = this.#socket;
    this.#isEnded = true;
    this.#release();
    socket.pause();
    socket.unshift(bytes);
    this.#options.handOver(socket, bytes);
    socket.resume();
    if (this.#isClientDone) socket.push(null);
  }

  #release(): void {
    Reflect.deleteProperty(this.#socket, 'push');
    this.#socket.off('data', this.#onData);
    this.#socket.off('end', this.#onEnd);
    this.#socket.off('drain', this.#onDrain);
    this.#socket.off('close', this.#onClose);
    this.#socket.off('error', ignoreSocketError);
    this.#options.onClose();
  }
}
