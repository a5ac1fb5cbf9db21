// One line from standard input. On a terminal it is not echoed.

import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

/** Undefined when the input ends before a line. */
export function readSecret(
  input: Readable & { readonly isTTY?: boolean },
  output: Writable,
  prompt: string,
): Promise<string | undefined> {
  const isTyped = input.isTTY === true;
  if (isTyped) output.write(prompt);
  // On a terminal readline does its own echo, which goes to a null stream.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: isTyped });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => {
      if (isTyped) output.write('\n');
      resolve(undefined);
    });
  });
}
