// HTTP for tests: paths and headers are sent exactly as given (`fetch` would normalise them). Answers
// have status, headers and text.

import { type Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface RequestOptions {
  /** A list is sent as several headers of that name. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Sent with `Content-Type: application/json` unless the headers say otherwise. */
  readonly body?: string | Uint8Array;
}

export interface Answer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

export interface SentRequest extends RequestOptions {
  readonly port: number;
  readonly agent: Agent;
  readonly method: string;
  readonly path: string;
}

export function sendRequest(sent: SentRequest): Promise<Answer> {
  const { port, agent, method, path, body } = sent;
  const headers: Record<string, string | string[]> = { ...sent.headers };
  if (body !== undefined) {
    headers['Content-Type'] ??= 'application/json';
    headers['Content-Length'] ??= String(Buffer.byteLength(body));
  }
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: '127.0.0.1', port, agent, method, path, headers });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      const finish = (): void =>
        resolve({
          status: incoming.statusCode ?? 0,
          // Node returns only Set-Cookie as a list, which is not used here.
          headers: incoming.headers as Answer['headers'],
          text: Buffer.concat(chunks).toString(),
        });
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (!isEndless(incoming.headers)) return;
        finish();
        outgoing.destroy();
      });
      incoming.on('error', reject);
      incoming.on('end', finish);
    });
    outgoing.end(body);
  });
}

/** Whether the answer is an endless stream, of which the first piece is enough. */
function isEndless(headers: IncomingHttpHeaders): boolean {
  return headers['x-accel-buffering'] === 'no';
}

/** The answer's body, which must be JSON. */
export function json(answer: Answer): unknown {
  return JSON.parse(answer.text);
}

/** A TCP connection for requests that no HTTP client would send. */
export class RawConnection implements Disposable {
  readonly socket: Socket;
  #received = '';
  readonly #ended: Promise<void>;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (data: string) => {
      this.#received += data;
      this.#wake();
    });
    // A reset ends the connection too; bytes received before it count.
    socket.on('error', () => undefined);
    this.#ended = new Promise((resolve) => {
      socket.on('close', () => {
        resolve();
        this.#wake();
      });
    });
  }

  static open(port: number): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port });
      const connection = new RawConnection(socket);
      socket.once('error', reject);
      socket.once('connect', () => resolve(connection));
    });
  }

  get received(): string {
    return this.#received;
  }

  get closed(): boolean {
    return this.socket.closed;
  }

  write(bytes: string | Uint8Array): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Settles with all received text when the server has closed the connection. */
  async untilClosed(): Promise<string> {
    await this.#ended;
    return this.#received;
  }

  /** Settles with all text received so far once it satisfies `enough`, or at the end. */
  async until(enough: (received: string) => boolean): Promise<string> {
    while (!enough(this.#received) && !this.socket.closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#received;
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}

/** Statuses of all answers that a connection received, in order. */
export function statusesIn(received: string): readonly number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}
