// Error messages of commands: sentences on standard error that begin with the name of the program,
// with their exit code.

import { EXIT, type Terminal } from './terminal.ts';

/** For invalid flags or settings; prints every problem on its own line. */
export function refuseUsage(terminal: Terminal, problems: readonly string[]): number {
  for (const problem of problems) terminal.printError(`gridkeep: ${problem}`);
  return EXIT.usage;
}

/** For a task that failed. The line replaces a progress bar. */
export function failWith(terminal: Terminal, sentence: string): number {
  terminal.draw?.('\r\u001b[K');
  terminal.printError(`gridkeep: ${sentence}`);
  return EXIT.failed;
}
