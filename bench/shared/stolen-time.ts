// Repeats measurements that other virtual machines disturbed. A virtual machine shares its cores, and the
// kernel counts the time in which the hypervisor ran another machine. A round during which much time was
// stolen measures that other machine.

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Share of the time of all cores; most rounds of a shared machine have less. */
const MOST_STOLEN = 0.05;
/** Attempts per measurement. If all are disturbed, the one with the least stolen time counts. */
const ATTEMPTS = 3;
/** Linux counts CPU time in hundredths of a second. */
export const MS_PER_TICK = 10;

let repeated = 0;

/** Measures again, up to twice, when the hypervisor took too much of the time. */
export async function measureUndisturbed<Result>(
  measure: () => Promise<Result>,
  mostStolen: number = MOST_STOLEN,
): Promise<Result> {
  let best: { readonly share: number; readonly result: Result } | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const stolenBefore = readStolenMs();
    const started = performance.now();
    const result = await measure();
    const elapsedMs = (performance.now() - started) * availableParallelism();
    const share = (readStolenMs() - stolenBefore) / elapsedMs;
    if (best === undefined || share < best.share) best = { share, result };
    if (best.share <= mostStolen || attempt === ATTEMPTS) return best.result;
    repeated += 1;
  }
}

/** For the end of a report; empty when nothing was repeated. */
export function describeRepeats(): string {
  if (repeated === 0) return '';
  return `; ${repeated} rounds measured again, because other machines took too much of the processor`;
}

/** CPU time stolen from all cores since the start of the machine; 0 where the kernel does not count it. */
function readStolenMs(): number {
  try {
    const [total = ''] = readFileSync('/proc/stat', 'latin1').split('\n');
    // cpu user nice system idle iowait irq softirq steal
    return Number(total.split(/\s+/)[8] ?? 0) * MS_PER_TICK;
  } catch {
    return 0;
  }
}
