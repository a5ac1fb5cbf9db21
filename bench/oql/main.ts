// npm run bench:oql: the cost of lexing, parsing, binding and planning the worst texts of 64 KiB, and its
// growth when a text doubles. CPU time of one thread, minimum of several rounds. The bar applies to
// parsing and binding.
//
//   --only LIST     families whose name contains one of these texts, separated by commas
//   --cold          one round per text, each in a new process; the minimum of three processes
//   --runs N        with --cold: N processes per text instead of three
//   --lengths LIST  for example 16000,32000,64000; default 32000,64000; with --cold 64000

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { FAMILIES } from '../../src/oql/testing/adversarial-texts.ts';
import { type Measured, measureText, parseAndBind, total } from './measure.ts';

const BAR_MS = 50;
const ROUNDS = 12;
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    cold: { type: 'boolean', default: false },
    one: { type: 'string' },
    // Number of processes per text, because other work on the machine slows some of them down.
    runs: { type: 'string', default: '3' },
    lengths: { type: 'string' },
  },
});
const lengths = (options.lengths ?? (options.cold ? '64000' : '32000,64000'))
  .split(',')
  .map(Number);
const parts = options.only.split(',');
const families = Object.keys(FAMILIES).filter((name) => parts.some((part) => name.includes(part)));

async function measure(name: string, length: number): Promise<Measured> {
  if (!options.cold) return await measureText(textOf(name, length), ROUNDS);
  let best = await measureCold(name, length);
  for (let run = 1; run < Number(options.runs); run++) {
    const measured = await measureCold(name, length);
    if (parseAndBind(measured.times) < parseAndBind(best.times)) best = measured;
  }
  return best;
}

/** Measures in a new process without compiled code. */
async function measureCold(name: string, length: number): Promise<Measured> {
  const program = fileURLToPath(import.meta.url);
  const request = ['--one', name, '--lengths', `${length}`];
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...request]);
  // The program prints only this.
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
  /** The family that takes longest to parse and bind. */
  readonly name: string;
  readonly all: number;
}

async function report(): Promise<Worst> {
  console.log('parse+b     all |     lex   parse    bind compile   shape    plan | per doubling');
  let worst: Worst = { parseAndBind: 0, name: '', all: 0 };
  for (const name of families) {
    const measured: Measured[] = [];
    for (const length of lengths) measured.push(await measure(name, length));
    const { times, code } = measured.at(-1) ?? (await measure(name, 64_000));
    const totals = measured.map((each) => total(each.times));
    const ratios = totals.slice(1).map((each, i) => (each / (totals[i] ?? 1)).toFixed(1));
    const own = { parseAndBind: parseAndBind(times), all: total(times) };
    worst = {
      parseAndBind: Math.max(worst.parseAndBind, own.parseAndBind),
      name: own.parseAndBind > worst.parseAndBind ? name : worst.name,
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
  console.log(
    `worst: ${bound} ms to parse and bind ${worst.name}, where the bar is ${BAR_MS}; ${all} ms in all`,
  );
  process.exitCode = worst.parseAndBind > BAR_MS ? 1 : 0;
}
