// npm run bench: compares the service with a bare `node:http` server that answers the same bytes
// from a Map, interleaved in one run. Only ratios count: each figure is the median ratio of the
// pairs, with its bar.
//
//   --quick    few entries and short rounds: shows that it works, measures nothing
//   --source   runs the service from its sources instead of the build
//   --only W   some kinds of work, in this order, for example get-one,put-one

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LoadProcess } from '../shared/load-process.ts';
import { endProgress, showStep } from '../shared/progress.ts';
import { describeRepeats, measureUndisturbed } from '../shared/stolen-time.ts';
import { median, printTable } from '../shared/tables.ts';
import { compareAnswers } from './compare-answers.ts';
import { makeKey, REGION } from './entries.ts';
import { fillStore } from './fill-store.ts';
import type { Job, JobResult } from './load-client.ts';
import { anonymousMiB, cpuMs, type ServerProcess, startServer } from './processes.ts';
import { WORK, type Work } from './work.ts';

interface Round {
  /** Requests or bytes per second. */
  readonly rate: number;
  /** CPU time of the server per request, in microseconds. */
  readonly cpuUs: number;
  readonly p99Ms: number;
  /** Share of one core that the client used; near 1 the client is the bottleneck. */
  readonly clientShare: number;
}

interface Row {
  readonly title: string;
  readonly ours: string;
  readonly bare: string;
  readonly value: number;
  readonly shown: string;
  readonly bar: string;
  readonly isMet: boolean;
  readonly rounds?: { readonly ours: readonly Round[]; readonly bare: readonly Round[] };
}

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    source: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const settings = options.quick
  ? { entries: 20_000, smallerEntries: 2_000, starts: 1, rounds: 1, roundMs: 200, warmUpMs: 100 }
  : {
      entries: 1_000_000,
      smallerEntries: 100_000,
      starts: 3,
      rounds: 5,
      roundMs: 1_500,
      warmUpMs: 1_500,
    };

const START_BAR_SECONDS = 1;
const MEMORY_BAR_MIB = 250;

const script = new URL(
  options.source ? '../../src/main.ts' : '../../dist/main.js',
  import.meta.url,
);
if (!existsSync(script)) throw new Error('Build first: npm run build');

const directory = await mkdtemp(join(tmpdir(), 'gridkeep-bench-'));
const client = new LoadProcess<Job, JobResult>(new URL('./load-client.ts', import.meta.url));
const running: ServerProcess[] = [];
try {
  const rows = await measure();
  endProgress();
  print(rows);
  await save(rows);
} finally {
  endProgress();
  client.stop();
  for (const server of running) await server.stop();
  await rm(directory, { recursive: true });
}

async function measure(): Promise<readonly Row[]> {
  const { entries, smallerEntries } = settings;
  const bareStart = startServer(
    new URL('./bare-server.ts', import.meta.url),
    [String(entries), String(smallerEntries)],
    ['--max-old-space-size=4096'],
  );
  const total = entries + smallerEntries;
  await fillStore(directory, settings, (written) => {
    showStep(`filling the store: ${Math.floor((written / total) * 100)} %`);
  });
  const bare = await bareStart;
  running.push(bare);
  const starts: number[] = [];
  for (let i = 1; i < settings.starts; i += 1) {
    const { seconds, service } = await timeStart();
    starts.push(seconds);
    await service.stop();
  }
  const { seconds, service } = await timeStart();
  starts.push(seconds);
  running.push(service);
  const memory = await measureMemory(service);
  await compareAnswers([service.port, bare.port], entries);
  const rows: Row[] = [];
  for (const work of chosenWork()) rows.push(await compare(work, service, bare));
  return [
    ...rows,
    limitRow('start until the first 200', median(starts), START_BAR_SECONDS, 's'),
    limitRow('anonymous memory after reading all', memory, MEMORY_BAR_MIB, 'MiB'),
  ];
}

function chosenWork(): readonly Work[] {
  if (options.only === undefined) return WORK;
  return options.only.split(',').map((name) => {
    const work = WORK.find((it) => it.name === name);
    if (work === undefined) throw new Error(`There is no work named ${name}`);
    return work;
  });
}

/** Time from the start of the process to the first answer. */
async function timeStart(): Promise<{ readonly seconds: number; readonly service: ServerProcess }> {
  showStep('starting the service');
  const started = performance.now();
  const service = await startServer(script, ['start', '--port', '0', '--data', directory]);
  const url = `http://127.0.0.1:${service.port}/grid-api/v1/${REGION}/${makeKey(1)}`;
  const response = await fetch(url);
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  return { seconds: (performance.now() - started) / 1000, service };
}

async function measureMemory(service: ServerProcess): Promise<number> {
  showStep('reading every entry');
  const { port } = service;
  const job = {
    port,
    work: 'everything',
    entries: settings.entries,
    connections: 1,
    ms: 0,
  } as const;
  const { bytes } = await client.run(job);
  if (bytes < settings.entries * 300) throw new Error(`Only ${bytes} bytes for all entries`);
  return anonymousMiB(service.pid);
}

async function compare(work: Work, service: ServerProcess, bare: ServerProcess): Promise<Row> {
  const rounds = { ours: [] as Round[], bare: [] as Round[] };
  await runRound(work, service, settings.warmUpMs);
  await runRound(work, bare, settings.warmUpMs);
  for (let i = 1; i <= settings.rounds; i += 1) {
    showStep(`${work.title}: round ${i} of ${settings.rounds}`);
    const pair = await measureUndisturbed(() => runPair(work, { service, bare }, i % 2 === 1));
    rounds.ours.push(pair.ours);
    rounds.bare.push(pair.bare);
  }
  // The speed of a shared machine changes from minute to minute, but hardly within a pair.
  const value = median(rounds.ours.map(({ rate }, i) => rate / (rounds.bare[i]?.rate ?? NaN)));
  return {
    title: work.title,
    ours: describe(work, rounds.ours),
    bare: describe(work, rounds.bare),
    value,
    shown: value.toFixed(2),
    bar: `≥ ${work.bar.toFixed(2)}`,
    isMet: value >= work.bar,
    rounds,
  };
}

/** A round of each. They alternate in going first, so that neither gains from its position. */
async function runPair(
  work: Work,
  { service, bare }: { readonly service: ServerProcess; readonly bare: ServerProcess },
  isServiceFirst: boolean,
): Promise<{ readonly ours: Round; readonly bare: Round }> {
  const run = (server: ServerProcess): Promise<Round> =>
    runRound(work, server, settings.roundMs * (work.duration ?? 1));
  if (isServiceFirst) return { ours: await run(service), bare: await run(bare) };
  const other = await run(bare);
  return { ours: await run(service), bare: other };
}

async function runRound(work: Work, server: ServerProcess, ms: number): Promise<Round> {
  const before = cpuMs(server.pid);
  const result = await client.run({
    port: server.port,
    work: work.name,
    entries: settings.entries,
    connections: work.connections,
    ms,
  });
  const spentMs = cpuMs(server.pid) - before;
  return {
    rate: (amountOf(work, result) / result.ms) * 1000,
    cpuUs: (spentMs * 1000) / Math.max(1, result.requests),
    p99Ms: result.p99Ms,
    clientShare: result.clientCpuMs / result.ms,
  };
}

function amountOf(work: Work, result: JobResult): number {
  return work.unit === 'bytes' ? result.bytes : result.requests;
}

function describe(work: Work, rounds: readonly Round[]): string {
  const rate = median(rounds.map((round) => round.rate));
  if (work.unit === 'bytes') return `${(rate / 2 ** 20).toFixed(0)} MiB/s`;
  const cpuUs = median(rounds.map((round) => round.cpuUs));
  const p99Ms = median(rounds.map((round) => round.p99Ms));
  return `${Math.round(rate)}/s, ${cpuUs.toFixed(1)} µs, p99 ${p99Ms.toFixed(1)} ms`;
}

function limitRow(title: string, value: number, bar: number, unit: string): Row {
  const shown = `${value.toFixed(unit === 's' ? 2 : 0)} ${unit}`;
  return {
    title,
    ours: shown,
    bare: '',
    value,
    shown,
    bar: `≤ ${bar} ${unit}`,
    isMet: value <= bar,
  };
}

function print(rows: readonly Row[]): void {
  const { entries, rounds } = settings;
  console.log(
    `${entries} entries, ${rounds} rounds, medians; µs: processor time per request${describeRepeats()}\n`,
  );
  const header = ['work', 'gridkeep', 'bare node:http', 'ratio', 'bar', ''];
  const lines = rows.map((row) => [
    row.title,
    row.ours,
    row.bare,
    row.shown,
    row.bar,
    options.quick ? 'not judged' : row.isMet ? 'met' : 'MISSED',
  ]);
  console.log(printTable([header, ...lines]));
}

async function save(rows: readonly Row[]): Promise<void> {
  const folder = new URL('../results/', import.meta.url);
  const file = new URL(options.quick ? 'http-quick.json' : 'http.json', folder);
  await mkdir(folder, { recursive: true });
  const at = new Date().toISOString();
  await writeFile(file, JSON.stringify({ at, node: process.version, settings, rows }, null, 2));
}
