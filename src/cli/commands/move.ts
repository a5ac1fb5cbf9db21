// `gridkeep move`: moves a grid from one store to another, from a directory to a database or back.

import { isDeepStrictEqual } from 'node:util';
import { moveStore, StartError, toStoreLocation } from '../../app/index.ts';
import { printAmount } from '../../value/print-amount.ts';
import { drawSteps } from '../draw-steps.ts';
import { loadDataConfig } from '../load-data-config.ts';
import { parseOptions } from '../parse-options.ts';
import { failWith, refuseUsage } from '../print-errors.ts';
import { resolvePath } from '../resolve-path.ts';
import { runTask } from '../run-task.ts';
import { EXIT, type Terminal } from '../terminal.ts';

const OPTIONS = { from: 'value', to: 'value', config: 'value' } as const;

export async function runMove(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseOptions(args, OPTIONS, terminal);
  if (options === undefined) return EXIT.usage;
  const from = options.value('from');
  const to = options.value('to');
  if (from === undefined || to === undefined) {
    return refuseUsage(terminal, ['move needs --from and --to, each a directory or postgres://…']);
  }
  const other = [from, to].find((text) => text.includes('://') && !/^postgres(ql)?:/.test(text));
  if (other !== undefined) {
    return refuseUsage(terminal, [`${other} is neither a directory nor postgres://…`]);
  }
  const loaded = await loadDataConfig(options, terminal);
  if (loaded === undefined) return EXIT.usage;
  const locationOf = (text: string) =>
    toStoreLocation(text.includes('://') ? text : resolvePath(text, terminal));
  if (isDeepStrictEqual(locationOf(from), locationOf(to))) {
    return refuseUsage(terminal, ['--from and --to are the same store']);
  }
  return runTask(terminal, async () => {
    const draw = drawSteps(terminal, { moving: 'moving' });
    try {
      const { entries, regions, sequence } = await moveStore(
        loaded.config,
        locationOf(from),
        locationOf(to),
        (done, total) => draw({ step: 'moving', done, total }),
      );
      terminal.print(
        `${to}: ${printAmount(entries, 'entry', 'entries')} in ${printAmount(regions, 'region')} as of commit ${sequence}`,
      );
      return EXIT.ok;
    } catch (error) {
      const isUsage = error instanceof StartError && error.code === 'start/store-url-refused';
      if (error instanceof StartError && !isUsage) return failWith(terminal, error.message);
      throw error;
    }
  });
}
