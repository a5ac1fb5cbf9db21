// Error messages of commands: sentences on standard error that begin with the name of the program,
// with their exit code.

import { EXIT, type Terminal } from './terminal.ts';

/** For flags or settings that cannot be used; every problem gets its line. */
export function refuseUsage(terminal: Terminal, problems: readonly string[]): number {
  for (const problem of problems) terminal.complain(`gridkeep: ${problem}`);
  return EXIT.usage;
}

/** For a task that did not succeed. The line replaces a progress bar that stands there. */
export function failWith(terminal: Terminal, sentence: string): number {
  terminal.draw?.('\r\u001b[K');
  terminal.complain(`gridkeep: ${sentence}`);
  return EXIT.failed;
}
