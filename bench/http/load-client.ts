// The load: closed loop over raw sockets, in a process of its own that spends
// as little as it can on each request. It answers each job with its figures.

import { connect, type Socket } from 'node:net';
import { makeRequests, readEverything, type WorkName } from './work.ts';

export interface Job {
  readonly port: number;
  /** `everything` is one request; it ends when its answer has. */
  readonly work: WorkName | 'everything';
  readonly entries: number;
  readonly connections: number;
  readonly ms: number;
}

export interface JobResult {
  readonly requests: number;
  readonly bytes: number;
  readonly ms: number;
  /** Milliseconds of processor time that this process spent meanwhile. */
  readonly clientCpuMs: number;
}

const READ_BUFFER_BYTES = 256 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = '0\r\n\r\n';
const LENGTH_NAME = 'Content-Length: ';

class Connection {
  readonly #requests: readonly Buffer[];
  readonly #isHead: boolean;
  readonly #counts: { requests: number; bytes: number };
  readonly #onDone: () => boolean;
  #socket: Socket | undefined;
  #next: number;
  /** Body bytes still to come; undefined while the head is awaited, -1 for chunks. */
  #left: number | undefined;
  #tail = '';
  #head = '';

  constructor(
    requests: readonly Buffer[],
    first: number,
    counts: { requests: number; bytes: number },
    onDone: () => boolean,
  ) {
    this.#requests = requests;
    this.#isHead = requests[0]?.toString('latin1', 0, 5) === 'HEAD ';
    this.#next = first;
    this.#counts = counts;
    this.#onDone = onDone;
  }

  open(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        port,
        host: '127.0.0.1',
        noDelay: true,
        // One buffer for all reads: nothing is allocated per answer.
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

  send(): void {
    const request = this.#requests[this.#next % this.#requests.length];
    this.#next += 1;
    if (request !== undefined) this.#socket?.write(request);
  }

  close(): void {
    this.#socket?.destroy();
  }

  #receive(data: Buffer): void {
    this.#counts.bytes += data.length;
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
      throw new Error(`Unexpected answer: ${head}`);
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
    this.#counts.requests += 1;
    if (this.#onDone()) this.send();
  }
}

async function run({ connections, entries, ms, port, work }: Job): Promise<JobResult> {
  const host = `127.0.0.1:${port}`;
  const requests =
    work === 'everything' ? [readEverything(host)] : makeRequests(work, host, entries);
  const counts = { requests: 0, bytes: 0 };
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const onDone = (): boolean => {
    if (work !== 'everything') return true;
    finish();
    return false;
  };
  const stride = Math.floor(requests.length / connections);
  const opened = Array.from(
    { length: connections },
    (_, i) => new Connection(requests, i * stride, counts, onDone),
  );
  await Promise.all(opened.map((connection) => connection.open(port)));
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  for (const connection of opened) connection.send();
  if (work !== 'everything') setTimeout(finish, ms);
  await finished;
  const elapsed = performance.now() - started;
  const cpu = process.cpuUsage(cpuBefore);
  const result = { ...counts, ms: elapsed, clientCpuMs: (cpu.user + cpu.system) / 1000 };
  for (const connection of opened) connection.close();
  return result;
}

process.on('message', (job: Job) => {
  void run(job).then((result) => process.send?.(result));
});
