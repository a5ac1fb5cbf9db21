// The exception trace that a 500 shows (spec 4.2 and others): positions in our code, never data.

import { fileURLToPath } from 'node:url';
import type { ErrorTrace } from '../../observe/observation.ts';

/** This file lives three folders below the package. */
const PACKAGE_ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export function traceOf(thrown: unknown, mode: ErrorTrace): readonly string[] | undefined {
  if (mode === 'off') return undefined;
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : '';
  const lines = stack.split('\n').map((line) => line.trim());
  if (mode === 'full') return lines;
  return lines
    .filter((line) => line.startsWith('at ') && line.includes(PACKAGE_ROOT))
    .filter((line) => !line.includes(`${'node_modules'}/`))
    .map((line) => line.slice(3).replace('file://', '').replace(PACKAGE_ROOT, ''));
}
