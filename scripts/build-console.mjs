// Builds the web console from `console/` into `dist/console`. `scripts/prepare.mjs` runs this on the
// Node of the package.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await build({
  configFile: false,
  root: join(root, 'console'),
  // Relative addresses, because the console may be below a path of a proxy.
  base: './',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(root, 'dist', 'console'),
    emptyOutDir: true,
    target: 'es2022',
    // The page's policy allows no inline script, and `data:` only for images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A test checks the sizes.
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: false,
    // A slow machine would otherwise print advice about plugins at the first start.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
});
