// The load generator, in a separate process: raw connections in a closed loop, with or without a rate,
// that count answers. It answers each job with figures.

import { connect, type Socket } from 'node:net';

export type Work = 'mixed' | 'replace' | 'sort';

export interface Job {
  readonly port: number;
  readonly connections: number;
  readonly ms: number;
  /** `mixed`: 80 % get, 10 % multi-get, 5 % replace, 5 % query. */
  readonly work: Work;
  /** Keys are `k0` to `k<keys - 1>` in the region `load`. */
  readonly keys: number;
  /** Requests per second over all connections; unlimited when absent. */
  readonly rate?: number;
  /** Warm-up time that is not counted. */
  readonly warmUpMs?: number;
}

export interface JobResult {
  readonly ms: number;
  /** Answers by status; `cut` counts connections that ended without an answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Number of 503 answers without Retry-After. */
  readonly withoutRetryAfter: number;
  readonly goodPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';
const SORT = encodeURIComponent('SELECT l.n, l.pad FROM /load l ORDER BY l.n DESC, l.pad LIMIT 5');
const QUERY = encodeURIComponent('SELECT COUNT(*) FROM /load l WHERE l.n < 40');

class Connection {
  readonly #job: Job;
  readonly #figures: Figures;
  #socket: Socket | undefined;
  #received = '';
  #sentAt = 0;
  #nextAt = 0;
  #seed: number;
  #isOver = false;

  constructor(job: Job, figures: Figures, seed: number) {
    this.#job = job;
    this.#figures = figures;
    this.#seed = seed * 7919 + 17;
  }

  open(): void {
    if (this.#isOver) return;
    const socket = connect({ port: this.#job.port, host: '127.0.0.1', noDelay: true });
    this.#socket = socket;
    this.#received = '';
    socket.setEncoding('latin1');
    socket.on('connect', () => this.#send());
    socket.on('data', (text: string) => this.#receive(text));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.#isOver || this.#socket !== socket) return;
      this.#figures.count('cut');
      setTimeout(() => this.open(), 20);
    });
  }

  end(): void {
    this.#isOver = true;
    this.#socket?.destroy();
  }

  #draw(below: number): number {
    this.#seed = (Math.imul(this.#seed, 1103515245) + 12345) & 0x7fffffff;
    return (this.#seed >> 8) % below;
  }

  #send(): void {
    if (this.#isOver) return;
    this.#sentAt = performance.now();
    this.#socket?.write(this.#nextRequest());
  }

  #nextRequest(): string {
    const { keys, work } = this.#job;
    const kind = work === 'replace' ? 95 : this.#draw(100);
    const key = (): string => `k${this.#draw(keys)}`;
    const head = `Host: 127.0.0.1:${this.#job.port}\r\n`;
    const get = (path: string): string => `GET /grid-api/v1/${path} HTTP/1.1\r\n${head}\r\n`;
    if (work === 'sort') return get(`queries/adhoc?q=${SORT}`);
    if (kind < 80) return get(`load/${key()}`);
    if (kind < 90) return get(`load/${Array.from({ length: 8 }, key).join(',')}`);
    if (kind < 95) return get(`queries/adhoc?q=${QUERY}`);
    const body = `{"n":${this.#draw(1000)},"pad":"${'y'.repeat(150)}"}`;
    return `PUT /grid-api/v1/load/${key()}?op=REPLACE HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  }

  #receive(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.#received.slice(0, end).toLowerCase();
    const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
    const body = this.#received.length - end - HEAD_END.length;
    const isWhole =
      length === undefined ? this.#received.endsWith(LAST_CHUNK) : body >= Number(length);
    if (!isWhole) return;
    this.#received = '';
    const status = head.slice(9, 12);
    this.#figures.count(status);
    if (status === '200') this.#figures.times.push(performance.now() - this.#sentAt);
    if (status === '503' && !head.includes('\r\nretry-after:'))
      this.#figures.withoutRetryAfter += 1;
    if (this.#job.rate === undefined) this.#send();
    else this.#sendOnTime();
  }

  /** A fixed schedule rather than a pause after each answer, so that it catches up after slow answers. */
  #sendOnTime(): void {
    this.#nextAt = Math.max(this.#nextAt, this.#figures.startedAt) + this.#intervalMs();
    const wait = this.#nextAt - performance.now();
    if (wait <= 0) this.#send();
    else setTimeout(() => this.#send(), wait);
  }

  #intervalMs(): number {
    return (this.#job.connections / (this.#job.rate ?? 1)) * 1000;
  }
}

class Figures {
  statuses: Record<string, number> = {};
  times: number[] = [];
  startedAt: number = performance.now();
  withoutRetryAfter = 0;

  /** Resets the counts. */
  restart(): void {
    this.statuses = {};
    this.times = [];
    this.startedAt = performance.now();
    this.withoutRetryAfter = 0;
  }

  count(status: string): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
  }
}

async function run(job: Job): Promise<JobResult> {
  const figures = new Figures();
  const connections = Array.from(
    { length: job.connections },
    (_, i) => new Connection(job, figures, i + 1),
  );
  for (const connection of connections) connection.open();
  if (job.warmUpMs !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, job.warmUpMs));
    figures.restart();
  }
  await new Promise((resolve) => setTimeout(resolve, job.ms));
  for (const connection of connections) connection.end();
  const ms = performance.now() - figures.startedAt;
  const times = figures.times.sort((a, b) => a - b);
  return {
    ms,
    statuses: figures.statuses,
    withoutRetryAfter: figures.withoutRetryAfter,
    goodPerSecond: ((figures.statuses['200'] ?? 0) / ms) * 1000,
    p50Ms: times[Math.floor(times.length * 0.5)] ?? 0,
    p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
  };
}

process.on('message', (job: Job) => {
  void run(job).then((result) => process.send?.(result));
});
