// npm run bench:reliability: the long forms of the fault, load and consistency
// tests, each against its bar. Writes bench/results/reliability.{md,json}.
//
//   --minutes N   length of the soak, 30 unless given
//   --share N     this share of all counts (0.1: a tenth), to check that it works
//   --only IDS    some rows, for example F1,L2
//   --seed N      repeats the choices of an earlier run

import { mkdirSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runBank } from '../../test/consistency/bank.ts';
import { recordHistories } from '../../test/consistency/key-histories.ts';
import { type CrashFigures, runCrashCycles } from '../../test/faults/crash-cycles.ts';
import { makeGolden, runDamage } from '../../test/faults/damage.ts';
import { TemporaryDirectory } from '../../test/faults/directory.ts';
import { LoopDisk } from '../../test/faults/loop-disk.ts';
import { runPowerCuts } from '../../test/faults/power-cuts.ts';
import { BitFlips } from '../../test/faults/store/bit-flips.ts';
import { runConnections } from '../../test/load/connections.ts';
import { runCostlyQueries } from '../../test/load/costly-queries.ts';
import { runOverload } from '../../test/load/overload.ts';
import { runSlowReaders } from '../../test/load/slow-readers.ts';
import { runSoak } from '../../test/load/soak.ts';
import { progress } from '../shared/progress.ts';
import { type Row, reportRows } from '../shared/report.ts';
import { measureStart } from './start-time.ts';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    share: { type: 'string', default: '1' },
    only: { type: 'string' },
    seed: { type: 'string' },
  },
});
const share = Number(options.share);
const soakMs = Number(options.minutes) * 60_000;
const seed = Number(options.seed ?? Math.floor(Math.random() * 2 ** 31));
const only = options.only?.split(',');
if (!(share > 0) || !(soakMs > 0) || !Number.isSafeInteger(seed)) {
  throw new TypeError('--share, --minutes and --seed take numbers');
}

/** The figures of a row, or the reason why it cannot be measured. */
type Measured =
  | { readonly figure: string; readonly isMet: boolean; readonly details?: unknown }
  | { readonly skipped: string };

interface Measurement {
  readonly id: string;
  readonly title: string;
  readonly bar: string;
  readonly measure: (directory: TemporaryDirectory) => Promise<Measured>;
}

const count = (full: number): number => Math.max(1, Math.round(full * share));

const MEASUREMENTS: readonly Measurement[] = [
  {
    id: 'F1',
    title: 'kill -9 under write load',
    bar: '0 lost, 0 torn',
    measure: async (directory) => {
      const cycles = count(200);
      const data = directory.join('data');
      const onCycle = (done: number): void => progress('F1 kill -9', done, cycles);
      return judgeCrashes(await runCrashCycles({ data, cycles, seed, onCycle }));
    },
  },
  {
    id: 'F1 control',
    title: 'answers before it commits',
    bar: 'loses',
    measure: async (directory) => {
      const data = directory.join('data');
      const fault = 'early-answer';
      return judgeControl(await runCrashCycles({ data, cycles: 10, seed, fault, untilLoss: true }));
    },
  },
  {
    id: 'F2',
    title: 'power cut under write load',
    bar: '0 lost, 0 torn',
    measure: async (directory) => {
      const cycles = count(100);
      const onCycle = (done: number): void => progress('F2 power cuts', done, cycles);
      return withDisk(directory, async (disk) =>
        judgeCrashes(await runPowerCuts({ disk, cycles, seed, onCycle })),
      );
    },
  },
  {
    id: 'F2 control',
    title: 'never syncs',
    bar: 'loses in 1 of 5',
    measure: (directory) =>
      withDisk(directory, async (disk) =>
        judgeControl(await runPowerCuts({ disk, cycles: 5, seed, fault: 'no-sync' })),
      ),
  },
  {
    id: 'F3',
    title: 'crash at named points',
    bar: '0 lost, 0 torn',
    measure: async (directory) => {
      const figures: CrashFigures[] = [];
      const cycles = count(20);
      for (const fault of ['before-commit', 'after-commit', 'mid-write', 'mid-drain']) {
        const data = directory.join(fault);
        const stops = fault === 'mid-drain';
        const onCycle = (done: number): void => progress(`F3 ${fault}`, done, cycles);
        const passes = stops ? 2 : 60;
        figures.push(await runCrashCycles({ data, cycles, seed, fault, passes, stops, onCycle }));
      }
      return judgeCrashes({
        cycles: cycles * figures.length,
        acknowledged: figures.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
        lost: figures.flatMap(({ lost }) => lost),
        torn: figures.flatMap(({ torn }) => torn),
        unexpected: figures.flatMap(({ unexpected }) => unexpected),
      });
    },
  },
  {
    id: 'F6',
    title: 'damaged files',
    bar: '0 served wrong',
    measure: async (directory) => {
      const files = count(200);
      const golden = await makeGolden(directory.join('golden'));
      const onFile = (done: number): void => progress('F6 damaged files', done, files);
      const into = directory.join('copies');
      mkdirSync(into);
      const figures = await runDamage(golden, { files, seed, into, onFile });
      rmSync(into, { recursive: true });
      const { failedOpenly, refused, right, wrong } = figures;
      return {
        figure: `${files} files: ${refused} refused, ${right} right, ${failedOpenly} answered with errors, ${wrong.length} wrong`,
        isMet: wrong.length === 0,
        details: figures,
      };
    },
  },
  {
    id: 'F6 bits',
    title: 'flipped bits, one at a time',
    bar: '0 served wrong',
    measure: async (directory) => {
      const flips = await BitFlips.open(directory.path);
      const bits = flips.chooseBits(count(20_000), seed);
      const found = { refused: 0, right: 0 };
      const wrong: string[] = [];
      for (const [done, bit] of bits.entries()) {
        progress('F6 flipped bits', done, bits.length);
        const outcome = await flips.flip(bit);
        if (outcome.kind === 'wrong') wrong.push(`bit ${bit}: ${outcome.what}`);
        else found[outcome.kind] += 1;
      }
      return {
        figure: `${bits.length} bits: ${found.refused} refused, ${found.right} right, ${wrong.length} wrong`,
        isMet: wrong.length === 0,
        details: { ...found, wrong },
      };
    },
  },
  {
    id: 'L1',
    title: `soak of ${options.minutes} min at 70 %`,
    bar: '200 only, ≤ 1 MiB per 10 min, files steady, loop delay p99 ≤ 50 ms',
    measure: async (directory) => {
      const onProgress = (doneMs: number, bytes: number): void =>
        progress(
          `L1 soak, ${Math.round(bytes / 2 ** 20)} MiB`,
          Math.round(doneMs / 1000),
          soakMs / 1000,
        );
      const data = directory.join('data');
      const figures = await runSoak({ data, ms: soakMs, clients: 16, onProgress });
      const { filesAfter, filesBefore, loopDelayP99Ms, slopeMiBPerTenMinutes, statuses } = figures;
      return {
        figure: `${Math.round(figures.ratePerSecond)}/s of ${Math.round(figures.maximumPerSecond)}/s, ${JSON.stringify(statuses)}, ${slopeMiBPerTenMinutes.toFixed(2)} MiB per 10 min at ${figures.anonymousMiB.toFixed(0)} MiB, files ${filesBefore} → ${filesAfter}, loop ${loopDelayP99Ms.toFixed(0)} ms`,
        isMet:
          Object.keys(statuses).join() === '200' &&
          slopeMiBPerTenMinutes <= 1 &&
          filesAfter <= filesBefore + 4 &&
          loopDelayP99Ms <= 50,
        details: figures,
      };
    },
  },
  {
    id: 'L2',
    title: 'ten times the clients',
    bar: '200 and 503 only, goodput ≥ 75 %, 95 % again within 10 s',
    measure: async (directory) => {
      const data = directory.join('data');
      const rounds = count(7);
      const figures = await runOverload({ data, clients: 32, rounds, roundMs: 2_500 });
      const { goodputRatio, isAlive, recoverySeconds, shed, statuses } = figures;
      return {
        figure: `${statuses.join(' and ')} (${shed} shed), goodput ${(goodputRatio * 100).toFixed(0)} % of ${Math.round(figures.maximumPerSecond)}/s, again after ${recoverySeconds} s`,
        isMet:
          isAlive &&
          statuses.every((status) => status === '200' || status === '503') &&
          figures.withoutRetryAfter === 0 &&
          goodputRatio >= 0.75 &&
          recoverySeconds < 10,
        details: figures,
      };
    },
  },
  {
    id: 'L3',
    title: '1,000 idle, 200 slow heads, 200 slow bodies',
    bar: 'slow ones closed ≤ 20 s, ping p99 ≤ 100 ms',
    measure: async () => {
      const size = { idle: 1_000, slowHeaders: 200, slowBodies: 200 };
      const figures = await runConnections({ ...size, waitMs: 40_000, trickleMs: 1_000 });
      const { closedSlowBodies, closedSlowHeaders, lastClosedSeconds, pingP99Ms } = figures;
      return {
        figure: `${closedSlowHeaders + closedSlowBodies} closed by ${lastClosedSeconds.toFixed(1)} s, ping p99 ${pingP99Ms.toFixed(0)} ms`,
        isMet:
          closedSlowHeaders + closedSlowBodies === 400 &&
          lastClosedSeconds <= 20 &&
          pingP99Ms <= 100,
        details: figures,
      };
    },
  },
  {
    id: 'L4',
    title: '8 slow readers of 50 MB under writes',
    bar: '≤ +64 MiB, cut off after 30 s, data file ≤ +20 %',
    measure: async (directory) => {
      const size = { readers: 8, mebibytes: 50, writesPerSecond: 50, waitMs: 60_000 };
      const figures = await runSlowReaders({ data: directory.join('data'), ...size });
      const { cutOff, fileGrowth, largestLogMiB, lastCutOffSeconds, memoryGrowthMiB } = figures;
      return {
        figure: `+${memoryGrowthMiB.toFixed(0)} MiB, ${cutOff} cut off by ${lastCutOffSeconds.toFixed(0)} s, data file +${(fileGrowth * 100).toFixed(0)} %, log up to ${largestLogMiB.toFixed(0)} MiB`,
        isMet: memoryGrowthMiB <= 64 && cutOff === 8 && fileGrowth <= 0.2,
        details: figures,
      };
    },
  },
  {
    id: 'L5',
    title: 'five-way join under 200 ms; 20 at once',
    bar: '500 ≤ 250 ms, ping p99 ≤ 50 ms, at most 8 run',
    measure: async () => {
      const figures = await runCostlyQueries({ runs: count(20), maxConcurrent: 8 });
      const slowest = Math.max(...figures.tookMs);
      const { mostRunning, outcomes, pingP99Ms } = figures;
      return {
        figure: `${outcomes.join()} after at most ${slowest.toFixed(0)} ms, ping p99 ${pingP99Ms.toFixed(0)} ms, ${mostRunning} ran at once`,
        isMet:
          outcomes.join() === '500 oql/timeout' &&
          slowest <= 250 &&
          pingP99Ms <= 50 &&
          mostRunning <= 8,
        details: figures,
      };
    },
  },
  {
    id: 'L6',
    title: 'start with a million entries',
    bar: '≤ 2 s after a clean stop, ≤ 10 s after a crash',
    measure: async (directory) => {
      const entries = count(1_000_000);
      const onProgress = (done: number): void => progress('L6 filling', done, entries);
      const figures = await measureStart(directory.join('data'), entries, onProgress);
      const { afterCrashSeconds, afterStopSeconds } = figures;
      return {
        figure: `${afterStopSeconds.toFixed(2)} s after a clean stop, ${afterCrashSeconds.toFixed(2)} s after a crash`,
        isMet: afterStopSeconds <= 2 && afterCrashSeconds <= 10,
        details: { entries, ...figures },
      };
    },
  },
  {
    id: 'C1',
    title: 'single keys, across kill -9',
    bar: 'linearizable',
    measure: async (directory) => {
      const data = directory.join('data');
      const size = { keys: 64, clientsPerKey: 4, operations: count(200), kills: 10 };
      const onProgress = (done: number, total: number): void => progress('C1', done, total);
      const figures = await recordHistories({ data, seed, ...size, onProgress });
      return {
        figure: `${figures.operations} operations, ${figures.unanswered} without an answer, ${figures.violations.length} violations`,
        isMet: figures.violations.length === 0,
        details: figures,
      };
    },
  },
  {
    id: 'C2',
    title: 'bank, across kill -9',
    bar: 'one total',
    measure: async (directory) => {
      const data = directory.join('data');
      const figures = await runBank({
        data,
        seed,
        transfers: count(10_000),
        kills: 10,
        readers: 2,
      });
      return {
        figure: `${figures.transfers} transfers, ${figures.reads} reads, ${figures.wrong.length} wrong totals`,
        isMet: figures.wrong.length === 0,
        details: figures,
      };
    },
  },
];

const chosen = MEASUREMENTS.filter(({ id }) => only === undefined || only.includes(id));
if (chosen.length === 0) throw new TypeError(`--only knows ${MEASUREMENTS.map(({ id }) => id)}`);
// A run of some rows does not overwrite the results of all.
const name = only === undefined ? 'reliability' : 'reliability-part';
await reportRows(chosen, run, { title: 'Reliability run', name });

async function run({ bar, id, measure, title }: Measurement): Promise<Row> {
  using directory = new TemporaryDirectory();
  progress(id, 0, 1);
  const started = performance.now();
  const measured = await measure(directory).catch(
    (error: Error): Measured => ({ figure: `failed: ${error.message}`, isMet: false }),
  );
  const seconds = (performance.now() - started) / 1000;
  if ('skipped' in measured) {
    return { id, title, bar, figure: measured.skipped, outcome: 'skipped', seed, seconds };
  }
  const { details, figure, isMet } = measured;
  return { id, title, bar, figure, outcome: isMet ? 'met' : 'MISSED', seed, seconds, details };
}

async function withDisk(
  directory: TemporaryDirectory,
  measure: (disk: LoopDisk) => Promise<Measured>,
): Promise<Measured> {
  const disk = await LoopDisk.create(directory.path, 128);
  if (typeof disk === 'string') return { skipped: disk };
  await using owned = disk;
  return await measure(owned);
}

function judgeCrashes(figures: CrashFigures): Measured {
  const { acknowledged, cycles, lost, torn, unexpected } = figures;
  return {
    figure: `${cycles} cycles, ${acknowledged} acknowledged: ${lost.length} lost, ${torn.length} torn`,
    isMet: lost.length + torn.length + unexpected.length === 0 && acknowledged > 0,
    details: figures,
  };
}

function judgeControl(figures: CrashFigures): Measured {
  const isMet = figures.lost.length > 0;
  return { figure: isMet ? 'loses, and is caught' : 'NOT caught', isMet, details: figures };
}
