// The built command, for tests that run it like a user.

import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = dirname(dirname(fileURLToPath(import.meta.url)));
export const MAIN: string = join(ROOT, 'dist', 'main.js');

/** Caches compiled code between starts, because the tests start the command hundreds of times. */
export const COMPILE_CACHE: { readonly NODE_COMPILE_CACHE: string } = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'gridkeep-compile-cache'),
};

let isBuilt = process.env['TEST_IS_BUILT'] === '1';

/** Does nothing when `dist` is up to date. */
export function ensureBuilt(): void {
  if (isBuilt) return;
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], { stdio: 'inherit' });
  isBuilt = true;
}
