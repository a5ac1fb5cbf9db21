// `gridkeep make-api-key`: creates a key for a program, and prints its hash for the config file.

import { createApiKey } from '../../app/index.ts';
import { refuseUsage } from '../print-errors.ts';
import { printTable } from '../print-table.ts';
import { EXIT, type Terminal } from '../terminal.ts';

export async function runMakeApiKey(args: readonly string[], terminal: Terminal): Promise<number> {
  if (args.length > 0) return refuseUsage(terminal, ['make-api-key takes no arguments']);
  const { hash, key } = createApiKey();
  terminal.print(
    printTable([
      ['key', key, 'shown only this once'],
      ['hash', hash, 'for the config file'],
    ]),
  );
  return EXIT.ok;
}
