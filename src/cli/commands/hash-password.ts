// `gridkeep hash-password`: from a password to what the config file keeps of it.
// The password comes from standard input alone: arguments are seen in process
// lists and kept in histories.

import { hashPassword } from '../../app/index.ts';
import { EXIT, type Terminal } from '../terminal.ts';

const MIN_LENGTH = 8;

export async function runHashPassword(
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  if (args.length > 0) {
    terminal.complain('gridkeep: hash-password takes no arguments; it asks for the password');
    return EXIT.usage;
  }
  const password = await terminal.readSecret('password: ');
  if (password === undefined || password.length < MIN_LENGTH) {
    terminal.complain(`gridkeep: a password needs ${MIN_LENGTH} characters or more`);
    return EXIT.failed;
  }
  terminal.print(await hashPassword(password));
  return EXIT.ok;
}
