// The environment of a command: output, input, signals and variables. Tests pass their own.

import type { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { LogStream } from '../app/index.ts';

export interface Terminal {
  /** One line on standard output. */
  print(text: string): void;
  /** One line on standard error. */
  printError(text: string): void;
  /** Raw text on standard error, if that is a terminal. */
  readonly draw: ((text: string) => void) | undefined;
  /** One line from standard input, not echoed when typed; undefined at its end. */
  readSecret(prompt: string): Promise<string | undefined>;
  /** The log of a running service. */
  readonly log: LogStream;
  /** The source of signals and unhandled failures: the process. */
  readonly events: EventEmitter;
  readonly workingDirectory: string;
  /** Standard input and output, for commands that move data; the process's own, unless given. */
  readonly pipes?: { readonly input: Readable; readonly output: Writable };
  /** The process's own environment, unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Exit codes; 70 (an internal failure while running) comes from `app`. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;
