// The change feed: what consumers cost a writer and the memory, how late events come, and how fast
// the log is read by a consumer that was away.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { anonymousMiB, startServer } from '../http/processes.ts';

const CONSUMERS = [0, 1, 100, 1_000];
const AGENT = new Agent({ keepAlive: true, maxSockets: 1 });
const FILLER = 'x'.repeat(300);

interface Consumers {
  /** Events since the last question, and the 99th percentile of their delays in milliseconds. */
  ask(): Promise<{ readonly events: number; readonly p99: number }>;
  stop(): Promise<void>;
}

interface Bench {
  readonly port: number;
  readonly pid: number;
  /** How long each figure is measured. */
  readonly seconds: number;
}

const MAIN = new URL('../../dist/main.js', import.meta.url);

/** A table of figures and bars, as Markdown. */
export async function measureFeeds(seconds: number): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gridkeep-bench-events-'));
  const flags = ['start', '--port', '0', '--data', directory, '--log-requests', 'off'];
  const server = await startServer(MAIN, flags);
  try {
    const rows = await measure({ port: server.port, pid: server.pid, seconds });
    return ['| Feed | Figure | Bar | |', '|---|---|---|---|', ...rows].join('\n');
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function measure(bench: Bench): Promise<readonly string[]> {
  const rows: string[] = [];
  const row = (title: string, figure: string, bar: string, isMet: boolean): void => {
    rows.push(`| ${title} | ${figure} | ${bar} | ${isMet ? 'met' : 'MISSED'} |`);
  };
  await send(bench.port, 'POST', '/grid-admin/v1/regions', '{"name":"bench"}');
  await writeFor(bench.port, bench.seconds * 500);
  let alone = 0;
  for (const count of CONSUMERS) {
    const before = anonymousMiB(bench.pid);
    const consumers = await openConsumers(bench.port, count);
    await delay(1_000);
    const kibibytes = ((anonymousMiB(bench.pid) - before) * 1024) / Math.max(1, count);
    const rate = await writeFor(bench.port, bench.seconds * 1_000);
    if (count === 0) alone = rate;
    await consumers.ask();
    await writeFor(bench.port, bench.seconds * 1_000, 0.7 * rate);
    await delay(200);
    const { p99 } = await consumers.ask();
    const share = rate / alone;
    const title = `${count} consumers: writes a second`;
    const figure = `${Math.round(rate)} (${share.toFixed(2)}), p99 ${p99.toFixed(0)} ms at 70 %`;
    row(
      title,
      figure,
      count === 100 ? '≥ 0.70, ≤ 50 ms' : '–',
      count !== 100 || (share >= 0.7 && p99 <= 50),
    );
    if (count === 1_000) {
      row('memory of an idle consumer', `${kibibytes.toFixed(1)} KiB`, '≤ 20 KiB', kibibytes <= 20);
    }
    await consumers.stop();
    await delay(2_000);
  }
  const { changes, seconds } = await catchUp(bench.port);
  const perSecond = changes / seconds;
  row(
    'catching up from the log',
    `${Math.round(perSecond)} changes/s`,
    '≥ 100,000/s',
    perSecond >= 100_000,
  );
  return rows;
}

/** One writer, one request after the other; at most `perSecond` of them. Gives the rate. */
async function writeFor(port: number, ms: number, perSecond?: number): Promise<number> {
  const started = performance.now();
  let written = 0;
  while (performance.now() - started < ms) {
    const at = performance.timeOrigin + performance.now();
    const body = `{"at":${at},"filler":"${FILLER}"}`;
    await send(port, 'PUT', `/grid-api/v1/bench/k${written % 50_000}`, body);
    written += 1;
    const aheadMs =
      perSecond === undefined ? 0 : (written * 1_000) / perSecond - (performance.now() - started);
    if (aheadMs > 1) await delay(aheadMs);
  }
  return (written * 1_000) / (performance.now() - started);
}

function send(port: number, method: string, path: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: AGENT });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      answer.resume();
      answer.on('end', () => resolve());
    });
    sent.end(body);
  });
}

async function openConsumers(port: number, count: number): Promise<Consumers> {
  const script = fileURLToPath(new URL('./consumers.ts', import.meta.url));
  const child = spawn(process.execPath, [script, String(port), String(count)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');
  return {
    ask: async () => {
      child.stdin.write('\n');
      const [line] = await once(lines, 'line');
      return JSON.parse(String(line));
    },
    stop: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** Reads the whole log of changes with their values as lines, on one connection. */
function catchUp(port: number): Promise<{ readonly changes: number; readonly seconds: number }> {
  return new Promise((resolve, reject) => {
    const headers = { Accept: 'application/x-ndjson' };
    const path = '/grid-api/v1/bench/_changes?since=0&heartbeat=0.3';
    const started = performance.now();
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      let changes = 0;
      let lastAt = started;
      answer.on('data', (piece: Buffer) => {
        // A sign of life: nothing is left to read.
        if (piece.length === 1) {
          sent.destroy();
          resolve({ changes, seconds: (lastAt - started) / 1_000 });
          return;
        }
        lastAt = performance.now();
        for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) changes += 1;
      });
      answer.on('error', () => undefined);
    });
    sent.end();
  });
}
