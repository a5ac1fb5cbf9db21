// `gridkeep version`.

import { readVersion } from '../../app/index.ts';
import { refuseUsage } from '../print-errors.ts';
import { EXIT, type Terminal } from '../terminal.ts';

export async function runVersion(args: readonly string[], terminal: Terminal): Promise<number> {
  if (args.length > 0) return refuseUsage(terminal, ['version takes no arguments']);
  terminal.print(`gridkeep ${await readVersion()}`);
  return EXIT.ok;
}
