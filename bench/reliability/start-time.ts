// L6: the duration of a start with many entries, after a clean stop and after a crash, from the start of
// the process to the first answer.

import { Client } from '../../test/faults/client.ts';
import { GridkeepProcess } from '../../test/faults/gridkeep-process.ts';

export interface StartFigures {
  readonly afterStopSeconds: number;
  readonly afterCrashSeconds: number;
}

const KEYS_PER_WRITE = 1_000;
const YAML = 'regions: [{ name: many }]\n';

export async function measureStart(
  data: string,
  entries: number,
  onProgress: (done: number) => void,
): Promise<StartFigures> {
  const filling = await GridkeepProcess.start({
    data,
    yaml: YAML,
    flags: ['--durability', 'relaxed'],
  });
  using client = new Client(filling.port, 4);
  for (let from = 0; from < entries; from += KEYS_PER_WRITE) {
    const numbers = Array.from(
      { length: Math.min(KEYS_PER_WRITE, entries - from) },
      (_, i) => from + i,
    );
    const body = `[${numbers.map((i) => `{"i":${i},"text":"${'x'.repeat(150)}"}`).join(',')}]`;
    const keys = numbers.map((i) => `k${i}`).join(',');
    await client.require('PUT', `/many?keys=${keys}`, { body });
    onProgress(from);
  }
  await filling.stop();
  const afterStop = await timeStart(data);
  // Writes, so that there is a log to recover.
  using second = new Client(afterStop.process.port, 1);
  await second.require('PUT', '/many/k1', { body: '{}' });
  await afterStop.process.kill();
  const afterCrash = await timeStart(data);
  await afterCrash.process.stop();
  return { afterStopSeconds: afterStop.seconds, afterCrashSeconds: afterCrash.seconds };
}

async function timeStart(
  data: string,
): Promise<{ readonly seconds: number; readonly process: GridkeepProcess }> {
  const started = performance.now();
  const process = await GridkeepProcess.start({ data });
  using client = new Client(process.port, 1);
  await client.get('/many/k0');
  return { seconds: (performance.now() - started) / 1000, process };
}
