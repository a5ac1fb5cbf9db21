// `gridkeep backup`: writes a consistent snapshot of a store, running or not, to a file.

import { backupStore } from '../../app/index.ts';
import { printAmount } from '../../value/print-amount.ts';
import { drawSteps } from '../draw-steps.ts';
import { endOnSignal } from '../end-on-signal.ts';
import { loadDataConfig } from '../load-data-config.ts';
import { parseOptions } from '../parse-options.ts';
import { failWith, refuseUsage } from '../print-errors.ts';
import { printProblems } from '../print-report.ts';
import { isOtherThanFile, resolvePath } from '../resolve-path.ts';
import { runTask } from '../run-task.ts';
import { EXIT, type Terminal } from '../terminal.ts';

const OPTIONS = {
  data: 'value',
  store: 'value',
  config: 'value',
  to: 'value',
  force: 'switch',
} as const;

export async function runBackup(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseOptions(args, OPTIONS, terminal);
  if (options === undefined) return EXIT.usage;
  const to = options.value('to');
  if (to === undefined) return refuseUsage(terminal, ['backup needs --to FILE']);
  const loaded = await loadDataConfig(options, terminal);
  if (loaded === undefined) return EXIT.usage;
  if (loaded.config.store.engine === 'postgres') {
    return failWith(
      terminal,
      'a database is backed up with its own tools (pg_basebackup, WAL archiving, pg_dump); see docs/clustering.md',
    );
  }
  return runTask(terminal, async () => {
    if (isOtherThanFile(resolvePath(to, terminal))) {
      return failWith(terminal, `${to} exists and is not a file; name another one`);
    }
    const directory = resolvePath(loaded.config.store.directory, terminal);
    const restoreSignals = endOnSignal();
    const outcome = await backupStore(directory, resolvePath(to, terminal), {
      existing: options.has('force') ? 'replace' : 'refuse',
      onProgress: drawSteps(terminal, { copying: 'copying', checking: 'checking the copy' }),
    }).finally(restoreSignals);
    switch (outcome.kind) {
      case 'copied': {
        const { fileBytes, regions, sequence } = outcome.report;
        const entries = regions.reduce((sum, { entryCount }) => sum + entryCount, 0);
        terminal.print(
          `${to}: ${printAmount(entries, 'entry', 'entries')} in ${printAmount(regions.length, 'region')} as of commit ${sequence}, ${fileBytes} bytes`,
        );
        return EXIT.ok;
      }
      case 'exists':
        return failWith(terminal, `${to} exists; --force replaces it`);
      case 'is-the-store':
        return failWith(terminal, `${to} is a file of the store itself`);
      case 'damaged':
        failWith(terminal, `the store in ${directory} is damaged; no backup was made`);
        for (const line of printProblems(outcome.report)) terminal.printError(line);
        return EXIT.failed;
    }
  });
}
