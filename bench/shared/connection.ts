// One keep-alive connection of a load client: sends prepared requests and finds the ends of their
// answers, with little CPU time per request.

import { connect, type Socket } from 'node:net';

const READ_BUFFER_BYTES = 256 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = '0\r\n\r\n';
const LENGTH_NAME = 'Content-Length: ';

export class Connection {
  /** Bytes received so far, heads included. */
  bytes = 0;
  readonly #isHead: boolean;
  readonly #onDone: () => void;
  #socket: Socket | undefined;
  /** Remaining body bytes; undefined while waiting for the head, -1 for chunks. */
  #left: number | undefined;
  #tail = '';
  #head = '';

  /** Calls `onDone` at the end of each answer; any status but 200 and 201 throws. */
  constructor(method: string, onDone: () => void) {
    this.#isHead = method === 'HEAD';
    this.#onDone = onDone;
  }

  open(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        port,
        host: '127.0.0.1',
        noDelay: true,
        // One buffer for all reads, to avoid an allocation per answer.
        onread: {
          buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES),
          callback: (length, buffer) => {
            this.#receive(Buffer.from(buffer.buffer, buffer.byteOffset, length));
            return true;
          },
        },
      });
      socket.once('connect', () => {
        this.#socket = socket;
        resolve();
      });
      socket.once('error', reject);
    });
  }

  send(request: Buffer): void {
    this.#socket?.write(request);
  }

  close(): void {
    this.#socket?.destroy();
  }

  #receive(data: Buffer): void {
    this.bytes += data.length;
    if (this.#left === undefined) this.#receiveHead(data);
    else this.#receiveBody(data);
  }

  #receiveHead(data: Buffer): void {
    const end = data.indexOf(HEAD_END);
    if (end < 0) {
      this.#head += data.toString('latin1');
      return;
    }
    const head = this.#head + data.toString('latin1', 0, end + 2);
    this.#head = '';
    if (!(head.startsWith('HTTP/1.1 200') || head.startsWith('HTTP/1.1 201'))) {
      throw new Error(`Unexpected answer: ${head}${data.toString('utf8', end)}`);
    }
    const at = head.indexOf(LENGTH_NAME);
    this.#left = at < 0 ? -1 : Number.parseInt(head.slice(at + LENGTH_NAME.length), 10);
    if (this.#isHead) this.#left = 0;
    this.#receiveBody(data.subarray(end + HEAD_END.length));
  }

  #receiveBody(data: Buffer): void {
    if (this.#left === -1) {
      const tail =
        this.#tail + data.toString('latin1', Math.max(0, data.length - LAST_CHUNK.length));
      this.#tail = tail.slice(-LAST_CHUNK.length);
      if (this.#tail !== LAST_CHUNK) return;
      this.#tail = '';
    } else {
      this.#left = (this.#left ?? 0) - data.length;
      if (this.#left > 0) return;
    }
    this.#left = undefined;
    this.#onDone();
  }
}
