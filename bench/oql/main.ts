// npm run bench:oql: what it takes to lex, parse, bind and plan the worst texts
// of 64 KiB, and how it grows when a text grows to twice its length. CPU time of
// one thread, the least of some rounds. The bar is about parsing and binding.
//
//   --only TEXT   families whose name contains it
//   --cold        one round only, each in a process of its own, the least of three
//   --lengths     for example 16000,32000,64000

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { FAMILIES } from '../../src/oql/testing/adversarial-texts.ts';
import { type Measured, measureText, parseAndBind, total } from './measure.ts';

const BAR_MS = 50;
const ROUNDS = 12;
/** Processes for one text; other work on the machine slows some of them down. */
const COLD_RUNS = 3;
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    cold: { type: 'boolean', default: false },
    one: { type: 'string' },
    lengths: { type: 'string', default: '32000,64000' },
  },
});
const lengths = options.lengths.split(',').map(Number);

async function measure(name: string, length: number): Promise<Measured> {
  if (!options.cold) return await measureText(textOf(name, length), ROUNDS);
  let best = await measureCold(name, length);
  for (let run = 1; run < COLD_RUNS; run++) {
    const measured = await measureCold(name, length);
    if (parseAndBind(measured.times) < parseAndBind(best.times)) best = measured;
  }
  return best;
}

/** In a process that has compiled nothing yet. */
async function measureCold(name: string, length: number): Promise<Measured> {
  const program = fileURLToPath(import.meta.url);
  const request = ['--one', name, '--lengths', `${length}`];
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...request]);
  // The program prints nothing else.
  return JSON.parse(stdout) as Measured;
}

function textOf(name: string, length: number): string {
  const text = FAMILIES[name]?.(length);
  if (text === undefined) throw new TypeError(`there is no family ${name}`);
  return text;
}

const format = (ms: number): string => ms.toFixed(1).padStart(7);

interface Worst {
  readonly parseAndBind: number;
  readonly all: number;
}

async function report(): Promise<Worst> {
  console.log('parse+b     all |     lex   parse    bind compile   shape    plan | per doubling');
  let worst: Worst = { parseAndBind: 0, all: 0 };
  for (const name of Object.keys(FAMILIES).filter((each) => each.includes(options.only))) {
    const measured: Measured[] = [];
    for (const length of lengths) measured.push(await measure(name, length));
    const { times, code } = measured.at(-1) ?? (await measure(name, 64_000));
    const totals = measured.map((each) => total(each.times));
    const ratios = totals.slice(1).map((each, i) => (each / (totals[i] ?? 1)).toFixed(1));
    const own = { parseAndBind: parseAndBind(times), all: total(times) };
    worst = {
      parseAndBind: Math.max(worst.parseAndBind, own.parseAndBind),
      all: Math.max(worst.all, own.all),
    };
    const steps = Object.values(times).map(format).join(' ');
    const note = code === '' ? '' : ` (${code})`;
    const sums = `${format(own.parseAndBind)} ${format(own.all)}`;
    console.log(`${sums} | ${steps} | ${ratios.join(' ')}  ${name}${note}`);
  }
  return worst;
}

if (options.one !== undefined) {
  const measured = await measureText(textOf(options.one, lengths[0] ?? 0), 1);
  console.log(JSON.stringify(measured));
} else {
  const worst = await report();
  const [bound, all] = [worst.parseAndBind.toFixed(1), worst.all.toFixed(1)];
  console.log(`worst: ${bound} ms to parse and bind, where the bar is ${BAR_MS}; ${all} ms in all`);
  process.exitCode = worst.parseAndBind > BAR_MS ? 1 : 0;
}
