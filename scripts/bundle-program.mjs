// Bundles the built program into `dist/program`, and has `dist/main.js` load that: to load its 800
// modules one by one takes two thirds of a start. The modules stay in `dist` for users that import
// the package. Run by `scripts/prepare.mjs` on the Node that the package brings along.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist');
const program = join(dist, 'program');

/** Started by their names. Each is one file that shares nothing: fewer files load faster. */
const THREADS = ['engine/sqlite/writer-thread', 'engine/sqlite/checkpoint-thread'];
/** These look for a thread beside themselves, which holds in the bundle too. */
const STARTS_THREADS = /[\\/]engine[\\/]sqlite[\\/](sqlite-engine|checkpointer)\.js$/;

await bundle('cli/run-command', { license: { fileName: 'licenses.md' } });
for (const thread of THREADS) await bundle(thread, { emptyOutDir: false });
loadBundle(join(dist, 'main.js'));

function bundle(entry, options) {
  return build({
    configFile: false,
    root: dist,
    logLevel: 'error',
    publicDir: false,
    // The driver stays a package: it finds parts of itself by their paths.
    ssr: { noExternal: true, external: ['pg'] },
    plugins: [{ name: 'places-in-dist', transform: keepPlace }, lightHttp()],
    build: {
      ...options,
      ssr: true,
      outDir: program,
      minify: false,
      target: 'esnext',
      // Read only where `node --enable-source-maps` asks for them.
      sourcemap: true,
      rolldownOptions: {
        input: join(dist, `${entry}.js`),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          sourcemapExcludeSources: true,
          // V8 counts on constants being constant.
          topLevelVar: false,
        },
      },
    },
  });
}

/** A module goes on to look for files where it was built. */
function keepPlace(code, id) {
  if (!code.includes('import.meta.url') || STARTS_THREADS.test(id)) return null;
  const place = JSON.stringify(relative(program, id));
  const url = `new URL(${place}, import.meta.url).href`;
  return { code: code.replaceAll('import.meta.url', url), map: null };
}

/**
 * What the program takes from `node:http`; a name that is not here fails the build. An import would
 * load what Node's `fetch` is made of too, which takes a third of the time of a short command.
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
