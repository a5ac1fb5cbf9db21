// Measures how late entries expire, 10,000 of them a second and beside reads, with the service in a
// separate process. The feed shows when each entry was written and removed.

import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../http/processes.ts';
import { send } from './send.ts';

const MAIN = new URL('../../dist/main.js', import.meta.url);
const PER_SECOND = 10_000;
/** The first entry is due when all are written. */
const FIRST_TTL_MS = 10_000;

/** Returns the figure and its bar as a Markdown table. */
export async function measureExpiry(seconds: number): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gridkeep-bench-expiry-'));
  const flags = ['start', '--port', '0', '--data', directory, '--log-requests', 'off'];
  const server = await startServer(MAIN, flags);
  try {
    const count = seconds * PER_SECOND;
    await send(server.port, 'POST', '/grid-admin/v1/regions', '{"name":"due"}');
    const lags = followLags(server.port, count);
    const lines = Array.from({ length: count }, (_, i) => {
      return `{"key":"k${i}","value":{"n":${i}},"ttl":${(ttlMsOf(i) / 1_000).toFixed(3)}}\n`;
    });
    await send(
      server.port,
      'POST',
      '/grid-api/v1/due/_bulk',
      lines.join(''),
      'application/x-ndjson',
    );
    let reads = 0;
    let isOver = false;
    void lags.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await send(server.port, 'GET', `/grid-api/v1/due?limit=1`, '');
      reads += 1;
    }
    const sorted = (await lags).toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
    const figure = `${count} at ${PER_SECOND}/s: median ${at(0.5)} ms, p99 ${at(0.99)} ms, last ${at(1 - 1 / count)} ms; ${reads} reads beside them`;
    const isMet = at(0.99) <= 1_000;
    return [
      '| Expiry | Figure | Bar | |',
      '|---|---|---|---|',
      `| from due to removed | ${figure} | p99 ≤ 1 s | ${isMet ? 'met' : 'MISSED'} |`,
    ].join('\n');
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

function ttlMsOf(index: number): number {
  return FIRST_TTL_MS + Math.floor((index * 1_000) / PER_SECOND);
}

/** Resolves, when all entries are removed, with the delay of each in milliseconds. */
function followLags(port: number, count: number): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    const path = '/grid-api/v1/due/_changes?since=0&include=none&ops=put,expire';
    const headers = { Accept: 'application/x-ndjson' };
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false });
    const dueAt = new Map<string, number>();
    const lags: number[] = [];
    let rest = '';
    sent.on('error', reject);
    sent.on('response', (answer) => {
      answer.setEncoding('latin1');
      answer.on('error', () => undefined);
      answer.on('data', (piece: string) => {
        const lines = (rest + piece).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines.filter(Boolean)) {
          const { key, op, time } = JSON.parse(line) as { key: string; op: string; time: string };
          const at = Date.parse(time);
          if (op === 'put') dueAt.set(key, at + ttlMsOf(Number(key.slice(1))));
          else lags.push(at - (dueAt.get(key) ?? at));
        }
        if (lags.length < count) return;
        sent.destroy();
        resolve(lags);
      });
    });
    sent.end();
  });
}
