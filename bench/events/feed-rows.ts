// The change feed: the cost of consumers in writes and memory, the delay of events, and how fast a
// consumer that was disconnected reads the log.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { anonymousMiB, startServer } from '../http/processes.ts';
import { median } from '../shared/tables.ts';
import { send } from './send.ts';

const CONSUMERS = [1, 100, 1_000];
const FILLER = 'x'.repeat(300);
const DOCUMENTS_PER_SECOND = 25_000;
const ROUNDS = 3;

interface Consumers {
  /** Events since the last call, and the 99th percentile of their delays in milliseconds. */
  ask(): Promise<{ readonly events: number; readonly p99: number }>;
  stop(): Promise<void>;
}

interface Bench {
  readonly port: number;
  readonly pid: number;
  /** Duration of each measurement. */
  readonly seconds: number;
}

const MAIN = new URL('../../dist/main.js', import.meta.url);

/** Returns figures and bars as a Markdown table. */
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
  for (const count of CONSUMERS) {
    const { kibibytes, p99, rates, share } = await measureConsumers(bench, count);
    row(
      `writes with ${count} consumers`,
      `${rates} (${share.toFixed(2)}), p99 ${p99.toFixed(0)} ms at 70 %`,
      count === 100 ? '≥ 0.70, ≤ 50 ms' : '–',
      count !== 100 || (share >= 0.7 && p99 <= 50),
    );
    if (count === 1_000) {
      row('memory of an idle consumer', `${kibibytes.toFixed(1)} KiB`, '≤ 20 KiB', kibibytes <= 20);
    }
  }
  const { isMet, text } = await measureCatchUp(bench);
  row('catching up from the log', text, '≥ 100,000/s or ≥ 0.50 of limit=ALL', isMet);
  return rows;
}

interface ConsumersFigures {
  /** Writes a second with and without consumers. */
  readonly rates: string;
  /** Median of the ratios of rounds with consumers to the rounds before them without. */
  readonly share: number;
  /** Delay of events at 70 % of that rate, in milliseconds. */
  readonly p99: number;
  /** Memory of an idle consumer. */
  readonly kibibytes: number;
}

async function measureConsumers(
  { pid, port, seconds }: Bench,
  count: number,
): Promise<ConsumersFigures> {
  const roundMs = (seconds * 1_000) / ROUNDS;
  const rounds: { readonly alone: number; readonly rate: number }[] = [];
  const memory: number[] = [];
  let p99 = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    const alone = await writeFor(port, roundMs);
    const before = anonymousMiB(pid);
    const consumers = await openConsumers(port, count);
    await delay(1_000);
    memory.push(((anonymousMiB(pid) - before) * 1024) / count);
    const rate = await writeFor(port, roundMs);
    rounds.push({ alone, rate });
    if (round === ROUNDS) {
      await consumers.ask();
      await writeFor(port, seconds * 1_000, 0.7 * rate);
      await delay(200);
      ({ p99 } = await consumers.ask());
    }
    await consumers.stop();
    await delay(1_000);
  }
  const rate = median(rounds.map((round) => round.rate));
  const alone = median(rounds.map((round) => round.alone));
  return {
    rates: `${Math.round(rate)} of ${Math.round(alone)} a second`,
    share: median(rounds.map((round) => round.rate / round.alone)),
    p99,
    kibibytes: median(memory),
  };
}

/** Reading the log of a region of documents of 340 bytes, compared with reading them by `limit=ALL`. */
async function measureCatchUp({
  port,
  seconds,
}: Bench): Promise<{ readonly text: string; readonly isMet: boolean }> {
  await send(port, 'POST', '/grid-admin/v1/regions', '{"name":"log"}');
  const lines = Array.from({ length: seconds * DOCUMENTS_PER_SECOND }, (_, i) => {
    // Not in key order, like the log of a real service.
    const key = `k${(i * 7_919) % 1_000_003}`;
    return `{"key":"${key}","value":{"at":${1e12 + i},"filler":"${FILLER}"}}\n`;
  });
  await send(port, 'POST', '/grid-api/v1/log/_bulk', lines.join(''), 'application/x-ndjson');
  const feeds: Received[] = [];
  const wholes: Received[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    feeds.push(await receive(port, '/grid-api/v1/log/_changes?since=0&heartbeat=0.3'));
    wholes.push(await receive(port, '/grid-api/v1/log?limit=ALL'));
  }
  const feed = fastest(feeds);
  const perSecond = feed.lines / feed.seconds;
  const share = feed.bytes / feed.seconds / (fastest(wholes).bytes / fastest(wholes).seconds);
  const megabytes = feed.bytes / feed.seconds / 1e6;
  return {
    text: `${Math.round(perSecond)} changes/s, ${megabytes.toFixed(0)} MB/s (${share.toFixed(2)} of limit=ALL)`,
    isMet: perSecond >= 100_000 || share >= 0.5,
  };
}

function fastest(received: readonly Received[]): Received {
  return received.reduce((best, one) => (one.seconds < best.seconds ? one : best));
}

/** One writer, one request after another, at most `perSecond`. Returns the rate. */
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

interface Received {
  readonly lines: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** Reads an answer to its end, or to the first heartbeat, when nothing is left to read. */
function receive(port: number, path: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    const headers = { Accept: path.includes('_changes') ? 'application/x-ndjson' : '*/*' };
    const started = performance.now();
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      let [lines, bytes, lastAt] = [0, 0, started];
      const finish = (): void => {
        sent.destroy();
        resolve({ lines, bytes, seconds: (lastAt - started) / 1_000 });
      };
      answer.on('data', (piece: Buffer) => {
        // On a busy machine the first heartbeat may precede all changes.
        const isHeartbeat = piece.length === 1;
        if (isHeartbeat && lines === 0) return;
        if (isHeartbeat) return finish();
        lastAt = performance.now();
        bytes += piece.length;
        for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines += 1;
      });
      answer.on('end', finish);
      answer.on('error', () => undefined);
    });
    sent.end();
  });
}
