// Resolves paths of flags against the working directory, and checks files to be written.

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Terminal } from './terminal.ts';

export function resolvePath(path: string, { workingDirectory }: Terminal): string {
  return resolve(workingDirectory, path);
}

/** Whether a directory or device has this name, which must never be replaced by a file. */
export function isOtherThanFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === false;
}
