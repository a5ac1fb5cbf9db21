// `gridkeep hash-password`: prints the hash of a password for the config file. The password comes
// from standard input only, because arguments are visible in process lists and shell histories.

import { hashPassword, isPassword } from '../../app/index.ts';
import { failWith, refuseUsage } from '../print-errors.ts';
import { EXIT, type Terminal } from '../terminal.ts';

const MIN_LENGTH = 8;

export async function runHashPassword(
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  if (args.length > 0) {
    return refuseUsage(terminal, ['hash-password takes no arguments; it asks for the password']);
  }
  const password = await terminal.readSecret('password: ');
  if (password === undefined || password.length < MIN_LENGTH) {
    return failWith(terminal, `a password needs ${MIN_LENGTH} characters or more`);
  }
  if (!isPassword(password)) {
    return failWith(terminal, 'a password is text in UTF-8 without NUL');
  }
  terminal.print(await hashPassword(password));
  return EXIT.ok;
}
