// Loaded into a service before its own code: SIGUSR2 triggers a garbage collection, so that live memory
// can be compared over time.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') process.on('SIGUSR2', () => void collect());
}
