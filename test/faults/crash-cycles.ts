// F1 and F3: start, load, crash, start again and compare, many times on one directory. The comparison
// of one cycle begins the next.

import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../../src/sample/random.ts';
import { Client } from './client.ts';
import { GENERATION_YAML, GenerationLoad } from './generations.ts';
import { type Finished, GridkeepProcess } from './gridkeep-process.ts';
import { InProcessGridkeep } from './in-process-gridkeep.ts';

export interface CrashOptions {
  readonly data: string;
  readonly cycles: number;
  readonly seed: number;
  /** The crash point. Without it, and for a control, the test kills the process. */
  readonly fault?: string;
  /** Upper bound of the random pass at which the process crashes. */
  readonly passes?: number;
  /** Whether SIGTERM makes it reach its crash point. */
  readonly stops?: boolean;
  /** The acknowledgement of each cycle at which all clients lose their connections. */
  readonly disconnectAt?: number;
  /** Whether to end with the first loss, which is enough for a control. */
  readonly untilLoss?: boolean;
  /** Upper bound of the random acknowledgement after which the service is ended. */
  readonly mostAcknowledgements?: number;
  readonly onCycle?: (done: number) => void;
}

export interface CrashFigures {
  readonly cycles: number;
  readonly acknowledged: number;
  readonly lost: readonly string[];
  readonly torn: readonly string[];
  readonly unexpected: readonly string[];
}

const MOST_ACKNOWLEDGEMENTS = 250;
/** Until a process that does not reach its crash point is killed. */
const CRASHES_WITHIN_MS = 60_000;

export async function runCrashCycles(options: CrashOptions): Promise<CrashFigures> {
  const { cycles, data, mostAcknowledgements = MOST_ACKNOWLEDGEMENTS, onCycle, seed } = options;
  const random = createRandom(seed);
  const load = new GenerationLoad(seed);
  const lost: string[] = [];
  const torn: string[] = [];
  const compare = async (client: Client, cycle: number): Promise<void> => {
    const loss = await load.compare(client);
    lost.push(...loss.lost.map((what) => `cycle ${cycle}: ${what}`));
    torn.push(...loss.torn.map((what) => `cycle ${cycle}: ${what}`));
    onCycle?.(cycle);
  };
  {
    // Without a fault, and not killed, so it need not be a process.
    await using service = await InProcessGridkeep.start({ data, yaml: GENERATION_YAML });
    using client = new Client(service.port);
    await load.prepare(client);
    // A crash point may be reached before the first acknowledgement.
    if (options.passes !== undefined) {
      let left = random.between(1, mostAcknowledgements);
      const stopped = Promise.withResolvers<unknown>();
      await load.run(client, () => {
        left -= 1;
        if (left === 0) stopped.resolve(service.stop());
      });
      if (left > 0) throw new Error(`the load ended early: ${[...load.unexpected.keys()]}`);
      await stopped.promise;
    }
  }
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const isCrash = options.passes !== undefined;
    const fault = isCrash ? `${options.fault}:${random.between(1, options.passes)}` : options.fault;
    const started = GridkeepProcess.start({
      data,
      yaml: GENERATION_YAML,
      ...(fault === undefined ? {} : { fault }),
    });
    // The declared region is an ordinary write, so the crash point may be reached at the start.
    const process = await started.catch((error: Error) => {
      if (!isCrash) throw error;
      return undefined;
    });
    if (process === undefined) continue;
    await using _ = process;
    using client = new Client(process.port);
    if (cycle > 0) await compare(client, cycle);
    if (options.untilLoss === true && lost.length > 0) break;
    const atAcknowledgement = random.between(1, mostAcknowledgements);
    const waitMs = random.between(0, 30) / 10;
    const endsByItself = isCrash && options.stops !== true;
    const end = (): void => process.signal(isCrash ? 'SIGTERM' : 'SIGKILL');
    let acknowledged = 0;
    await load.run(client, () => {
      acknowledged += 1;
      // Later, when every writer has sent its next request.
      if (acknowledged === options.disconnectAt) setImmediate(() => client.disconnect());
      if (acknowledged === atAcknowledgement && !endsByItself) void delay(waitMs).then(end);
    });
    // Without connections there are no more acknowledgements.
    if (acknowledged < atAcknowledgement && !endsByItself) end();
    const { signal } = await finish(process, () => {
      lost.push(`cycle ${cycle}: the load ended, but not the process`);
    });
    if (signal !== 'SIGKILL') lost.push(`cycle ${cycle}: it ended by itself`);
  }
  if (options.untilLoss !== true || lost.length === 0) {
    // Nothing is killed any more, so it need not be a process.
    await using service = await InProcessGridkeep.start({ data, yaml: GENERATION_YAML });
    using client = new Client(service.port);
    await compare(client, cycles);
  }
  const unexpected = [...load.unexpected].map(([what, count]) => `${count} × ${what}`);
  return { cycles, acknowledged: load.acknowledgements, lost, torn, unexpected };
}

async function finish(process: GridkeepProcess, onLate: () => void): Promise<Finished> {
  const timer = setTimeout(() => {
    onLate();
    process.signal('SIGKILL');
  }, CRASHES_WITHIN_MS);
  try {
    return await process.finished;
  } finally {
    clearTimeout(timer);
  }
}
