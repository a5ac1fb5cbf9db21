// Imported first by each process of `npm test`. A thread of a store is loaded as it is built: it starts
// for every store that is opened, and few files load faster than many. The processes import this file
// themselves, because threads would load a module of the command line too, which takes a fifth of
// their start.

import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';
import './untracked-promises.mjs';
import './same-choices.ts';
import './end-in-time.ts';

const THREAD = /\/src\/engine\/sqlite\/(\w+-thread)\.ts$/;

threads.Worker = class extends threads.Worker {
  constructor(file, options) {
    const name = THREAD.exec(String(file))?.[1];
    super(name === undefined ? file : builtThread(name), options);
  }
};
syncBuiltinESMExports();

function builtThread(name) {
  return new URL(`../dist/program/${name}.js`, import.meta.url);
}
