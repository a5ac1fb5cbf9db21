// F2: the file system is shut down at a random moment under write load, like by a power cut. Then all
// acknowledged writes must be there and complete.

import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../../src/sample/random.ts';
import { Client } from './client.ts';
import type { CrashFigures } from './crash-cycles.ts';
import { GENERATION_YAML, GenerationLoad, type Loss } from './generations.ts';
import { GridkeepProcess } from './gridkeep-process.ts';
import type { LoopDisk } from './loop-disk.ts';

export interface PowerCutOptions {
  readonly disk: LoopDisk;
  readonly cycles: number;
  readonly seed: number;
  /** The fault of the control, `no-sync`; the run ends with the first loss. */
  readonly fault?: string;
  /** Upper bound of the random acknowledgement after which the power is cut. */
  readonly mostAcknowledgements?: number;
  readonly onCycle?: (done: number) => void;
}

const MOST_ACKNOWLEDGEMENTS = 200;

export async function runPowerCuts(options: PowerCutOptions): Promise<CrashFigures> {
  const {
    cycles,
    disk,
    fault,
    mostAcknowledgements = MOST_ACKNOWLEDGEMENTS,
    onCycle,
    seed,
  } = options;
  const random = createRandom(seed);
  const load = new GenerationLoad(seed);
  const lost: string[] = [];
  const torn: string[] = [];
  for (let cycle = 0; cycle <= cycles; cycle += 1) {
    if (cycle > 0) disk.mount();
    let process: GridkeepProcess;
    try {
      process = await start(disk, fault);
    } catch (error) {
      lost.push(`cycle ${cycle}: it does not open: ${error}`);
      break;
    }
    await using ended = process;
    using client = new Client(process.port);
    if (cycle === 0) await load.prepare(client);
    else {
      const loss = await compare(load, client);
      lost.push(...loss.lost.map((what) => `cycle ${cycle}: ${what}`));
      torn.push(...loss.torn.map((what) => `cycle ${cycle}: ${what}`));
      onCycle?.(cycle);
    }
    if (cycle === cycles || (fault !== undefined && lost.length > 0)) break;
    let left = random.between(1, mostAcknowledgements);
    const waitMs = random.between(0, 30) / 10;
    let isCut = false;
    await load.run(client, () => {
      left -= 1;
      if (left !== 0) return;
      void delay(waitMs).then(() => {
        isCut = true;
        load.ignoreAnswers();
        if (!disk.cutPower()) lost.push('the disk could not be cut off');
        process.signal('SIGKILL');
      });
    });
    if (!isCut) throw new Error(`the load ended early: ${[...load.unexpected.keys()]}`);
    await ended.finished;
    await disk.unmount();
  }
  await disk.unmount();
  // Writes may fail between the cut and the kill.
  return { cycles, acknowledged: load.acknowledgements, lost, torn, unexpected: [] };
}

function start(disk: LoopDisk, fault: string | undefined): Promise<GridkeepProcess> {
  return GridkeepProcess.start({
    data: `${disk.path}/data`,
    yaml: GENERATION_YAML,
    ...(fault === undefined ? {} : { fault }),
  });
}

async function compare(load: GenerationLoad, client: Client): Promise<Loss> {
  try {
    return await load.compare(client);
  } catch (error) {
    return { lost: [`it cannot be read: ${error}`], torn: [] };
  }
}
