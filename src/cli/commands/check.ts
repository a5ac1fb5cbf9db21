// `gridkeep check`: checks a store for damage.

import { checkDatabase, checkStore } from '../../app/index.ts';
import { drawSteps } from '../draw-steps.ts';
import { loadDataConfig } from '../load-data-config.ts';
import { parseOptions } from '../parse-options.ts';
import { printReport } from '../print-report.ts';
import { resolvePath } from '../resolve-path.ts';
import { runTask } from '../run-task.ts';
import { EXIT, type Terminal } from '../terminal.ts';

export async function runCheck(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseOptions(args, { data: 'value', store: 'value', config: 'value' }, terminal);
  if (options === undefined) return EXIT.usage;
  const loaded = await loadDataConfig(options, terminal);
  if (loaded === undefined) return EXIT.usage;
  return runTask(terminal, async () => {
    const draw = drawSteps(terminal, { checking: 'checking' });
    const directory = resolvePath(loaded.config.store.directory, terminal);
    const report =
      loaded.config.store.engine === 'postgres'
        ? await checkDatabase(loaded.config)
        : await checkStore(directory, (progress) => draw({ step: 'checking', ...progress }));
    terminal.print(printReport(report));
    return report.count === 0 ? EXIT.ok : EXIT.failed;
  });
}
