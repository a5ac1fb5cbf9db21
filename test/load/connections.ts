// L3: sockets that send nothing or very little. They are closed in time, and do not affect other
// clients.

import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { GridkeepProcess, type ProcessOptions } from '../faults/gridkeep-process.ts';
import { PingProbe } from './load-generator.ts';

export interface ConnectionOptions extends ProcessOptions {
  readonly idle: number;
  readonly slowHeaders: number;
  readonly slowBodies: number;
  /** Time limit for the slow ones to be closed. */
  readonly waitMs: number;
  readonly trickleMs: number;
}

export interface ConnectionFigures {
  readonly closedSlowHeaders: number;
  readonly closedSlowBodies: number;
  /** Time when the last of the slow ones was closed. */
  readonly lastClosedSeconds: number;
  readonly pingP99Ms: number;
  readonly pingStatuses: readonly number[];
}

export async function runConnections(options: ConnectionOptions): Promise<ConnectionFigures> {
  await using process = await GridkeepProcess.start({
    ...options,
    yaml: 'regions: [{ name: orders }]\n',
  });
  const { port } = process;
  const sockets: Socket[] = [];
  const open = (count: number, first: string): Socket[] => {
    const opened = Array.from({ length: count }, () => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.on('error', () => undefined);
      if (first !== '') socket.write(first);
      socket.resume();
      return socket;
    });
    sockets.push(...opened);
    return opened;
  };
  const host = `Host: 127.0.0.1:${port}\r\n`;
  const put = `PUT /grid-api/v1/orders/k HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n`;
  try {
    open(options.idle, '');
    const headers = open(options.slowHeaders, `GET /grid-api/v1/ping HTTP/1.1\r\n${host}X-A: `);
    const bodies = open(options.slowBodies, put);
    const started = performance.now();
    const probe = new PingProbe(port);
    let lastClosed = 0;
    const slow = [...headers, ...bodies];
    for (const socket of slow) {
      socket.on('close', () => {
        lastClosed = performance.now() - started;
      });
    }
    while (slow.some(({ closed }) => !closed) && performance.now() - started < options.waitMs) {
      for (const socket of slow) if (socket.writable) socket.write(' ');
      await delay(options.trickleMs);
    }
    const { p99Ms, statuses } = await probe.stop();
    return {
      closedSlowHeaders: headers.filter(({ closed }) => closed).length,
      closedSlowBodies: bodies.filter(({ closed }) => closed).length,
      lastClosedSeconds: lastClosed / 1000,
      pingP99Ms: p99Ms,
      pingStatuses: statuses,
    };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}
