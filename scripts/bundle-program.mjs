// The built program in a few files, for tests that start it some hundred times: to load its 800
// modules takes two thirds of a start. What it finds beside its modules it finds in `dist`.
//
//   node scripts/bundle-program.mjs FOLDER

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { root } from './prepare.mjs';

/** Threads are started by their names, beside the file that starts them. */
const THREADS = ['writer-thread', 'checkpoint-thread'];
const STARTS_THREADS = /[\\/]engine[\\/]sqlite[\\/](sqlite-engine|log-copier)\.js$/;

const places = [...THREADS.map((name) => `engine/sqlite/${name}`), 'main'];
await build({
  configFile: false,
  root,
  logLevel: 'error',
  publicDir: false,
  // The driver stays a package: it finds parts of itself by their paths.
  ssr: { noExternal: true, external: ['pg'] },
  plugins: [{ name: 'places-in-dist', transform: keepPlace }],
  build: {
    ssr: true,
    outDir: process.argv[2],
    emptyOutDir: true,
    minify: false,
    target: 'esnext',
    rolldownOptions: {
      input: places.map((place) => join(root, 'dist', `${place}.js`)),
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});

/** A module goes on to look for files where it was built. */
function keepPlace(code, id) {
  if (!code.includes('import.meta.url') || STARTS_THREADS.test(id)) return null;
  const place = JSON.stringify(pathToFileURL(id).href);
  return { code: code.replaceAll('import.meta.url', place), map: null };
}
