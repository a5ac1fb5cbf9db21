// Reads plain requests directly from their sockets, because Node's parser takes half of the time of
// a small request. Node gets every connection with any other request (docs/decisions/0023).

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { checkIntervalMs } from '../check-interval.ts';
import { AnswerHeads } from './answer-heads.ts';
import type { DirectAnswer } from './direct-answer.ts';
import { DirectConnection } from './direct-connection.ts';
import { KnownFields, LINE_END, type PlainRequest } from './plain-request.ts';
import { type BatchClock, WriteBatch } from './write-batch.ts';

export interface DirectOptions extends BatchClock {
  readonly serve: (request: PlainRequest, answer: DirectAnswer) => void;
  /** A connection must begin its first request within this time. */
  readonly headersTimeoutMs: number;
  readonly maxUrlBytes: number;
  /** Each further one must begin within this time after an answer. */
  readonly keepAliveTimeoutMs: number;
}

/** No method that a URL follows is longer. */
const METHOD_BYTES = 16;

export class DirectListener {
  readonly #server: Server;
  readonly #options: DirectOptions;
  readonly #heads: AnswerHeads;
  readonly #batch: WriteBatch;
  readonly #knownFields: KnownFields = new KnownFields();
  readonly #connections = new Set<DirectConnection>();
  readonly #handOver: (socket: Socket, bytes: Buffer) => void;
  /** Bytes of an unfinished request line at the moment Node took the connection over. */
  readonly #openLines = new WeakMap<Socket, number>();
  readonly #intervalMs: number;
  readonly #interval: NodeJS.Timeout;

  /** Construct it before anything else listens to the server's connections. */
  constructor(server: Server, options: DirectOptions) {
    this.#server = server;
    this.#options = options;
    this.#heads = new AnswerHeads(options.keepAliveTimeoutMs);
    this.#batch = new WriteBatch(options);
    // Node's own listener. Its documentation says that `connection` may be emitted with a socket
    // from elsewhere.
    const [takeOver] = server.listeners('connection');
    if (takeOver === undefined) throw new Error('The server listens to no connections');
    this.#handOver = (socket, bytes) => {
      if (!bytes.includes(LINE_END)) this.#openLines.set(socket, bytes.length);
      takeOver.call(server, socket);
    };
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => this.#open(socket));
    const { headersTimeoutMs, keepAliveTimeoutMs } = options;
    this.#intervalMs = checkIntervalMs(Math.min(headersTimeoutMs, keepAliveTimeoutMs));
    this.#interval = setInterval(() => this.#closeIdleConnections(), this.#intervalMs).unref();
  }

  /**
   * Whether Node refused the head because its request line is too long. The line was unfinished
   * when Node took over; it was too long already then, or the last packet has no end of line.
   */
  hasLongLine(socket: Socket, lastBytes: Buffer | undefined): boolean {
    const begun = this.#openLines.get(socket);
    if (begun === undefined) return false;
    return begun > this.#options.maxUrlBytes + METHOD_BYTES || !lastBytes?.includes(LINE_END);
  }

  /** Destroys every connection that was not handed over to Node. */
  close(): void {
    clearInterval(this.#interval);
    this.#batch.writeAll();
    for (const { socket } of this.#connections) socket.destroy();
  }

  #open(socket: Socket): void {
    const connection: DirectConnection = new DirectConnection(socket, {
      heads: this.#heads,
      batch: this.#batch,
      knownFields: this.#knownFields,
      serve: this.#options.serve,
      handOver: this.#handOver,
      onClose: () => this.#connections.delete(connection),
    });
    this.#connections.add(connection);
  }

  #closeIdleConnections(): void {
    const { headersTimeoutMs, keepAliveTimeoutMs } = this.#options;
    for (const connection of this.#connections) {
      if (!connection.isIdle) continue;
      connection.checks += 1;
      // The first check may come right after the last byte.
      const idleMs = (connection.checks - 1) * this.#intervalMs;
      if (connection.requests > 0) {
        if (idleMs >= keepAliveTimeoutMs) connection.socket.destroy();
      } else if (idleMs >= headersTimeoutMs) this.#refuse(connection);
    }
  }

  /** As Node does when no request arrives in time. */
  #refuse({ socket }: DirectConnection): void {
    const error = Object.assign(new Error('No request'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    this.#server.emit('clientError', error, socket);
  }
}
