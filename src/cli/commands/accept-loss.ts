// `gridkeep accept-loss`: lets a store continue without its missing commits.

import { acceptLoss } from '../../app/index.ts';
import { printAmount } from '../../value/print-amount.ts';
import { parseOptions } from '../parse-options.ts';
import { refuseUsage } from '../print-errors.ts';
import { resolvePath } from '../resolve-path.ts';
import { runTask } from '../run-task.ts';
import { EXIT, type Terminal } from '../terminal.ts';

export async function runAcceptLoss(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseOptions(args, { data: 'value' }, terminal);
  if (options === undefined) return EXIT.usage;
  const directory = options.value('data');
  if (directory === undefined) return refuseUsage(terminal, ['accept-loss needs --data DIR']);
  return runTask(terminal, async () => {
    const outcome = await acceptLoss(resolvePath(directory, terminal));
    if (outcome.kind === 'nothing-missing') {
      terminal.print(`${directory}: nothing is missing, and nothing was changed`);
      return EXIT.ok;
    }
    const { missing, nextSequence, orphans, regions, sequence } = outcome.loss;
    if (missing !== undefined) terminal.print(`accepted: ${missing}`);
    for (const { entryCount, later, name, stated } of regions) {
      const lostPart = later === 0 ? '' : `, ${later} of them of lost commits`;
      const amount = printAmount(entryCount, 'entry', 'entries');
      const comparison =
        entryCount === stated
          ? `${amount}, as many as stated, but not the same ones`
          : `${amount} instead of ${stated}`;
      terminal.print(`region ${name}: ${comparison}${lostPart}`);
    }
    if (orphans > 0) {
      terminal.print(`removed: ${printAmount(orphans, 'large value')} without an entry`);
    }
    terminal.print(
      `${directory}: whole up to commit ${sequence}; the next commit is ${nextSequence + 1}`,
    );
    return EXIT.ok;
  });
}
