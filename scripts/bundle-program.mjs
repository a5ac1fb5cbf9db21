// Bundles the built program into `dist/program`, and makes `dist/main.js` load the bundle: loading its
// 800 modules one by one takes two thirds of a start. The modules stay in `dist` for users that import
// the package. `scripts/prepare.mjs` runs this on the Node of the package.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist');
const program = join(dist, 'program');

/** Threads are started by name. Each is one file that shares no code, because fewer files load faster. */
const THREADS = ['writer-thread', 'checkpoint-thread', 'check-thread'];
/** This module starts a thread by a relative path, which works in the bundle too. */
const STARTS_THREADS = /[\\/]engine[\\/]sqlite[\\/]threads\.js$/;

await bundle('cli/run-command', { license: { fileName: 'licenses.md' } });
for (const thread of THREADS) await bundle(`engine/sqlite/${thread}`, { emptyOutDir: false });
loadBundle(join(dist, 'main.js'));

function bundle(entry, options) {
  return build({
    configFile: false,
    root: dist,
    logLevel: 'error',
    publicDir: false,
    // The driver is not bundled, because it loads parts of itself by path.
    ssr: { noExternal: true, external: ['pg'] },
    plugins: [{ name: 'keep-location', transform: keepLocation }, lightHttp()],
    build: {
      ...options,
      ssr: true,
      outDir: program,
      minify: false,
      target: 'esnext',
      // Used only with `node --enable-source-maps`.
      sourcemap: true,
      rolldownOptions: {
        input: join(dist, `${entry}.js`),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          sourcemapExcludeSources: true,
          // V8 relies on constants for optimizations.
          topLevelVar: false,
        },
      },
    },
  });
}

/** Modules still find files relative to their original location. */
function keepLocation(code, id) {
  if (!code.includes('import.meta.url') || STARTS_THREADS.test(id)) return null;
  const location = JSON.stringify(relative(program, id));
  const url = `new URL(${location}, import.meta.url).href`;
  return { code: code.replaceAll('import.meta.url', url), map: null };
}

/**
 * The parts of `node:http` that the program uses; any other name fails the build. A plain import would
 * also load the code of Node's `fetch`, which takes a third of the time of a short command.
 */
function lightHttp() {
  const id = '\0light-http';
  const code = `export const { STATUS_CODES, createServer } = process.getBuiltinModule('node:http');`;
  return {
    name: 'light-http',
    enforce: 'pre',
    resolveId: (name) => (name === 'node:http' ? id : null),
    load: (name) => (name === id ? code : null),
  };
}

function loadBundle(main) {
  const [before, after, ...others] = readFileSync(main, 'utf8').split('./cli/run-command.js');
  if (after === undefined || others.length > 0) throw new Error(`${main} loads no command`);
  writeFileSync(main, `${before}./program/run-command.js${after}`);
}
