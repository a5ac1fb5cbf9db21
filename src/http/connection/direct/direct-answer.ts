// An answer written directly to its socket. A complete body is written together with its head; a
// stream is sent in chunks.

import type { Socket } from 'node:net';
import { detachBuffer } from '../../../value/detach-buffer.ts';
import type { Outgoing, WholeAnswer } from '../../response/outgoing.ts';
import { DATA_HEADERS } from '../../security/security-headers.ts';
import { type AnswerHead, type AnswerHeads, printLines } from './answer-heads.ts';
import type { PlainRequest } from './plain-request.ts';
import type { WriteBatch } from './write-batch.ts';

export interface AnswerOptions {
  readonly socket: Socket;
  readonly heads: AnswerHeads;
  readonly batch: WriteBatch;
  /** Called when everything is written; says whether the connection stays open. */
  readonly onWritten: (connection: 'kept' | 'closed') => void;
}

/** Up to this size, copying a body after its head is cheaper than writing two buffers together. */
const COPIED_BYTES = 4 * 1024;

const DATA_LINES = printLines(DATA_HEADERS);
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

type AnswerEvent = 'drain' | 'close' | 'half-closed';

export class DirectAnswer implements Outgoing {
  readonly req: PlainRequest;
  readonly #options: AnswerOptions;
  #head: AnswerHead | undefined;
  #isHeadSent = false;
  /** The buffer of a whole body is this answer's alone. */
  #isOwn = false;
  /** Most answers have none. */
  #listeners: { readonly event: AnswerEvent; readonly listener: () => void }[] | undefined;

  constructor(req: PlainRequest, options: AnswerOptions) {
    this.req = req;
    this.#options = options;
  }

  get socket(): Socket {
    return this.#options.socket;
  }

  get destroyed(): boolean {
    return this.#options.socket.destroyed;
  }

  writeHead(status: number, headers: readonly string[]): void {
    const hasBody = this.req.method !== 'HEAD' && status !== 204 && status !== 304;
    this.#head = this.#options.heads.print({ status, headers, hasBody });
  }

  /** Sends `100 Continue`, unless the answer has begun. */
  writeContinue(): void {
    const { socket } = this.#options;
    if (this.#head !== undefined) this.emit('half-closed');
    else if (socket.writable) socket.write(CONTINUE, 'latin1');
  }

  write(piece: string | Uint8Array): boolean {
    const { socket } = this.#options;
    if (!socket.writable) return true;
    // Everything written in this turn goes out in one packet.
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    this.#sendHead();
    const bytes = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
    // A chunk of no bytes would end the answer.
    if (bytes === 0) return true;
    socket.write(`${bytes.toString(16)}\r\n`, 'latin1');
    socket.write(piece);
    return socket.write('\r\n', 'latin1');
  }

  end(body: string | Uint8Array = '', encoding: 'latin1' | 'utf8' = 'utf8'): void {
    if (this.#options.socket.writable) this.#writeRest(body, encoding);
    this.emit('close');
    this.#options.onWritten(this.#head?.closes === true ? 'closed' : 'kept');
  }

  sendWhole(answer: WholeAnswer): void {
    const { body, bodyBytes, isOwn } = answer;
    const text = this.#options.heads.printWhole(answer, DATA_LINES);
    this.#head = { text, closes: false, isChunked: false };
    this.#isOwn = isOwn;
    this.end(body, bodyBytes === body.length ? 'latin1' : 'utf8');
  }

  destroy(): void {
    this.#options.socket.destroy();
  }

  on(event: AnswerEvent, listener: () => void): void {
    this.#listeners ??= [];
    this.#listeners.push({ event, listener });
  }

  once(event: AnswerEvent, listener: () => void): void {
    const first = (): void => {
      this.off(event, first);
      listener();
    };
    this.on(event, first);
  }

  off(event: AnswerEvent, listener: () => void): void {
    this.#listeners = this.#listeners?.filter(
      (entry) => entry.event !== event || entry.listener !== listener,
    );
  }

  /** Called by the connection, to report its events to this answer. */
  emit(event: AnswerEvent): void {
    if (this.#listeners === undefined) return;
    for (const entry of this.#listeners) if (entry.event === event) entry.listener();
  }

  #writeRest(body: string | Uint8Array, encoding: 'latin1' | 'utf8'): void {
    const { batch, socket } = this.#options;
    const head = this.#head?.text ?? '';
    if (this.#head?.isChunked === true) {
      this.#sendHead();
      socket.write('0\r\n\r\n', 'latin1');
      return;
    }
    batch.hold(socket, head.length + body.length);
    if (this.req.method === 'HEAD') socket.write(head, 'latin1');
    // A head is ASCII, so it is the same in both encodings.
    else if (typeof body === 'string') socket.write(head + body, encoding);
    else if (body.length <= COPIED_BYTES) socket.write(joinBytes(head, body));
    else this.#writeBoth(head, body);
  }

  /** Detaching the buffer when the kernel has copied it saves work of the collector. */
  #writeBoth(head: string, body: Uint8Array): void {
    const { socket } = this.#options;
    socket.cork();
    socket.write(head, 'latin1');
    if (this.#isOwn) socket.write(body, () => detachBuffer(new Uint8Array(body.buffer)));
    else socket.write(body);
    socket.uncork();
  }

  #sendHead(): void {
    if (this.#isHeadSent) return;
    this.#isHeadSent = true;
    this.#options.socket.write(this.#head?.text ?? '', 'latin1');
  }
}

function joinBytes(head: string, body: Uint8Array): Buffer {
  const whole = Buffer.allocUnsafe(head.length + body.length);
  whole.write(head, 'latin1');
  whole.set(body, head.length);
  return whole;
}
