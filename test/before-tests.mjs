// Loaded before the tests of `npm test`, and by the threads that they start. A thread of a store is
// loaded as it is built: it starts for every store that is opened, and few files load faster. This
// file is JavaScript for the same reason: a thread that loads TypeScript takes twice as long to
// start.

import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const THREAD = /\/src\/engine\/sqlite\/(\w+-thread)\.ts$/;

if (isMainThread) {
  await import('./same-choices.ts');
  await import('./end-in-time.ts');
} else {
  registerHooks({
    resolve(specifier, context, next) {
      const name = THREAD.exec(specifier)?.[1];
      if (name === undefined) return next(specifier, context);
      const { href: url } = new URL(`../dist/program/${name}.js`, import.meta.url);
      return { url, format: 'module', shortCircuit: true };
    },
  });
}
