// Copies files that the compiler does not write to `dist`: the documentation page and the files of its
// viewer, so that the published package needs no other package for it.

import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = ['page.html', 'page.css', 'page.js'];
const VIEWER = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt'];
/** Includes the licence of the viewer. */
const RENAMED = { LICENSE: 'swagger-ui.LICENSE.txt', NOTICE: 'swagger-ui.NOTICE.txt' };

/** Copies them from the package at `root` into its `dist`. */
export function copyAssets(root) {
  const viewer = join(root, 'node_modules', 'swagger-ui-dist');
  const target = join(root, 'dist', 'http', 'documentation');
  mkdirSync(target, { recursive: true });
  for (const name of PAGE) {
    copyFileSync(join(root, 'src', 'http', 'documentation', name), join(target, name));
  }
  for (const name of VIEWER) copyFileSync(join(viewer, name), join(target, name));
  for (const [name, renamed] of Object.entries(RENAMED)) {
    copyFileSync(join(viewer, name), join(target, renamed));
  }
}
