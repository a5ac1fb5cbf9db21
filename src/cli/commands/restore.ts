// `gridkeep restore`: restores a backup as the store of a directory.

import { restoreStore } from '../../app/index.ts';
import { drawSteps } from '../draw-steps.ts';
import { endOnSignal } from '../end-on-signal.ts';
import { parseOptions } from '../parse-options.ts';
import { failWith, refuseUsage } from '../print-errors.ts';
import { printProblems } from '../print-report.ts';
import { resolvePath } from '../resolve-path.ts';
import { runTask } from '../run-task.ts';
import { EXIT, type Terminal } from '../terminal.ts';

const OPTIONS = { data: 'value', from: 'value', force: 'switch' } as const;

export async function runRestore(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseOptions(args, OPTIONS, terminal);
  if (options === undefined) return EXIT.usage;
  const from = options.value('from');
  const directory = options.value('data');
  if (from === undefined || directory === undefined) {
    return refuseUsage(terminal, ['restore needs --from FILE and --data DIR']);
  }
  if (directory.includes('://')) {
    return refuseUsage(terminal, [
      '--data must be a directory; a database is restored with its own tools',
    ]);
  }
  return runTask(terminal, async () => {
    const source = resolvePath(from, terminal);
    const restoreSignals = endOnSignal();
    const outcome = await restoreStore(source, resolvePath(directory, terminal), {
      existing: options.has('force') ? 'replace' : 'refuse',
      onProgress: drawSteps(terminal, { copying: 'copying', checking: 'checking the backup' }),
    }).finally(restoreSignals);
    switch (outcome.kind) {
      case 'restored':
        terminal.print(`${directory}: restored as of commit ${outcome.report.sequence}`);
        return EXIT.ok;
      case 'not-empty':
        return failWith(terminal, `${directory} is not empty; --force replaces the store in it`);
      case 'in-use':
        return failWith(
          terminal,
          `${from} is not a backup but a store in use, for its log lies beside it; gridkeep backup makes a copy of it`,
        );
      case 'not-stopped':
        return failWith(
          terminal,
          `${from} is not a backup but the file of a store that was not stopped, without its log; commits may be missing`,
        );
      case 'damaged':
        failWith(terminal, `${from} is damaged; nothing was restored`);
        for (const line of printProblems(outcome.report)) terminal.printError(line);
        return EXIT.failed;
    }
  });
}
