// Resolves paths of flags against the working directory.

import { resolve } from 'node:path';
import type { Terminal } from './terminal.ts';

export function resolvePath(path: string, { workingDirectory }: Terminal): string {
  return resolve(workingDirectory, path);
}
