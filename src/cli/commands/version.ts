// `gridkeep version`.

import { readVersion } from '../../app/index.ts';
import { EXIT, type Terminal } from '../terminal.ts';

export async function runVersion(_args: readonly string[], terminal: Terminal): Promise<number> {
  terminal.print(`gridkeep ${await readVersion()}`);
  return EXIT.ok;
}
