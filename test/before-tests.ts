// Loaded before the tests of `npm test`, and by the threads that they start. A thread of a store is
// loaded as a bundle of the same code, where there is one: it starts for every store that is opened.

import { registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const THREAD = /\/src\/engine\/sqlite\/(\w+-thread)\.ts$/;
const program = process.env['TEST_PROGRAM'];

if (isMainThread) {
  await import('./same-choices.ts');
  await import('./end-in-time.ts');
} else if (program !== undefined) {
  registerHooks({
    resolve(specifier, context, next) {
      const name = THREAD.exec(specifier)?.[1];
      if (name === undefined) return next(specifier, context);
      const url = pathToFileURL(join(dirname(program), `${name}.js`)).href;
      return { url, format: 'module', shortCircuit: true };
    },
  });
}
