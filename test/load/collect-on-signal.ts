// Loaded into a service before its own code: SIGUSR2 makes V8 collect what is
// dead, so that what is left can be compared with what was left before.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') process.on('SIGUSR2', () => void collect());
}
