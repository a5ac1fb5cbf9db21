// Runs a command that does one task. An expected failure becomes one sentence and exit code 1;
// anything else is a bug and ends with its stack trace.

import { StartError } from '../app/index.ts';
import { failWith, refuseUsage } from './print-errors.ts';
import type { Terminal } from './terminal.ts';

export async function runTask(terminal: Terminal, task: () => Promise<number>): Promise<number> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof StartError && error.code === 'start/store-url-refused') {
      return refuseUsage(terminal, [error.message]);
    }
    const sentence = explainFailure(error);
    if (sentence === undefined) throw error;
    return failWith(terminal, sentence);
  }
}

/** Undefined for unexpected errors. */
export function explainFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // A check of a file may report several lines.
  const message = error.message.replaceAll(/\s*\n\s*/g, '; ');
  if (error.name === 'MissingStoreError') return message;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === undefined || code.startsWith('ERR_INVALID')) return undefined;
  if (code === 'EPIPE') return 'the reader of the output has gone';
  // Unfinished files have a name of their own, which means nothing to the user.
  const path =
    'path' in error && typeof error.path === 'string'
      ? error.path.replace(/\.\d+\.unfinished$/, '')
      : undefined;
  // The readable middle part of "ENOENT: no such file or directory, open '/x'".
  const words = /^E[A-Z]+: ([^,]+),/.exec(message)?.[1];
  if (words !== undefined && path !== undefined) return `${path}: ${words}`;
  return words ?? message;
}
