// L4: clients that request a whole region and hardly read it, while writers continue. They cost little
// memory, are disconnected in time, and do not make the file grow.

import { statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '../faults/client.ts';
import { GridkeepProcess, type ProcessOptions } from '../faults/gridkeep-process.ts';

export interface SlowReaderOptions extends ProcessOptions {
  readonly data: string;
  readonly readers: number;
  readonly mebibytes: number;
  readonly writesPerSecond: number;
  /** Time limit for the readers to be disconnected. */
  readonly waitMs: number;
}

export interface SlowReaderFigures {
  readonly memoryGrowthMiB: number;
  readonly cutOff: number;
  readonly lastCutOffSeconds: number;
  /** Growth of the data file while the readers were connected. */
  readonly fileGrowth: number;
  /** Largest size of its write-ahead log, which the snapshot of a reader pins. */
  readonly largestLogMiB: number;
  readonly writes: number;
}

const VALUE_BYTES = 4_000;
const KEYS_PER_WRITE = 500;
const BYTES_PER_SECOND = 1024;

export async function runSlowReaders(options: SlowReaderOptions): Promise<SlowReaderFigures> {
  const started = { ...options, yaml: 'regions: [{ name: large }]\n' };
  const keys = Math.ceil((options.mebibytes * 2 ** 20) / VALUE_BYTES);
  {
    await using filling = await GridkeepProcess.start(started);
    using client = new Client(filling.port);
    for (let from = 0; from < keys; from += KEYS_PER_WRITE) {
      const some = Array.from(
        { length: Math.min(KEYS_PER_WRITE, keys - from) },
        (_, i) => from + i,
      );
      const body = `[${some.map((i) => value(i)).join(',')}]`;
      const path = `/large?keys=${some.map((i) => `k${i}`).join(',')}`;
      await client.require('PUT', path, { body });
    }
    await filling.stop();
  }
  await using process = await GridkeepProcess.start(started);
  using client = new Client(process.port, 4);
  const data = join(options.data, 'gridkeep.db');
  const fileBytesBefore = sizeOf(data);
  // A first scan, so that the memory that any scan needs is not counted.
  await client.get('/large?limit=2000');
  const memoryBefore = process.anonymousBytes();
  const sockets = Array.from({ length: options.readers }, () => readSlowly(process.port));
  const startedAt = performance.now();
  let cutOff = 0;
  let lastCutOff = 0;
  let writes = 0;
  let largestFileBytes = 0;
  let largestLogBytes = 0;
  let largestMemory = 0;
  const isWaiting = (): boolean =>
    cutOff < options.readers && performance.now() - startedAt < options.waitMs;
  try {
    while (isWaiting()) {
      const i = (writes * 7919) % keys;
      await client.require('PUT', `/large/k${i}?op=REPLACE`, { body: value(writes) });
      writes += 1;
      const gone = options.readers - (await countReaders(client));
      if (gone > cutOff) lastCutOff = performance.now() - startedAt;
      cutOff = gone;
      largestFileBytes = Math.max(largestFileBytes, sizeOf(data));
      largestLogBytes = Math.max(largestLogBytes, sizeOf(`${data}-wal`));
      largestMemory = Math.max(largestMemory, process.anonymousBytes());
      await delay(1000 / options.writesPerSecond);
    }
    return {
      memoryGrowthMiB: (largestMemory - memoryBefore) / 2 ** 20,
      cutOff,
      lastCutOffSeconds: lastCutOff / 1000,
      fileGrowth: largestFileBytes / fileBytesBefore - 1,
      largestLogMiB: largestLogBytes / 2 ** 20,
      writes,
    };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** The service's own count, because a client that does not read does not see its disconnection. */
async function countReaders(client: Client): Promise<number> {
  const text = (await client.sendTo('GET', '/metrics'))?.text ?? '';
  return Number(/^gridkeep_http_streams (\d+)$/m.exec(text)?.[1]);
}

/** Reads a kibibyte per second. */
function readSlowly(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  socket.write(`GET /grid-api/v1/large?limit=ALL HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  socket.pause();
  const timer = setInterval(() => {
    // Reads the buffer of the stream first, then the socket.
    socket.read(BYTES_PER_SECOND);
  }, 1000);
  socket.on('close', () => clearInterval(timer));
  return socket;
}

function value(i: number): string {
  return JSON.stringify({ i, pad: 'x'.repeat(VALUE_BYTES - 40) });
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
