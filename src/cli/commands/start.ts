// `gridkeep start`: serves until it is asked to stop.

import { explainStartError, runUntilStopped, StartError, startService } from '../../app/index.ts';
import { loadSettings } from '../load-settings.ts';
import { failWith, refuseUsage } from '../print-errors.ts';
import { drawProgressBar } from '../progress-bar.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import { LoadError, loadFiles } from '../transfer/load-files.ts';

/** Errors that only another setting can fix. */
const WRONG_SETTINGS: ReadonlySet<string> = new Set([
  'start/insecure-address',
  'start/auth-refused',
  'start/origin-refused',
  'start/proxy-refused',
  'start/store-url-refused',
]);

export async function runStart(args: readonly string[], terminal: Terminal): Promise<number> {
  const settings = await loadSettings(args, terminal);
  if (settings === undefined) return EXIT.usage;
  const { activity, loadAgain, loaded, loadKey, loads, sample } = settings;
  const onProgress =
    terminal.draw === undefined ? undefined : drawProgressBar('loading the sample', terminal.draw);
  try {
    const service = await startService(loaded, {
      logTo: terminal.log,
      loadAgain,
      fill: (target) => loadFiles(target, { loads, keyMember: loadKey }, terminal),
      ...(sample
        ? { sample: { activity, ...(onProgress === undefined ? {} : { onProgress }) } }
        : {}),
    });
    // Signals are handled before the line is printed: a reader may send one at once.
    const ended = runUntilStopped(service, terminal.events);
    terminal.print(`gridkeep listening on ${service.url}`);
    return await ended;
  } catch (error) {
    if (error instanceof LoadError) return failWith(terminal, error.message);
    if (!(error instanceof StartError)) throw error;
    return WRONG_SETTINGS.has(error.code)
      ? refuseUsage(terminal, [explainStartError(error, loaded)])
      : failWith(terminal, explainStartError(error, loaded));
  }
}
