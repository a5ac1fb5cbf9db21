// The test runner follows every promise with an async hook, to name the test of an error that nothing
// handles. That takes a sixth of the processor time of tests with many promises. Without it such an
// error fails the file, but no test of it. Node has an option for hooks without promises, but none for
// the hook of its runner; so that hook gets the option of ours. If a version of Node stores it
// otherwise, promises are followed as before.

import { createHook } from 'node:async_hooks';

const tracked = createHook({});
const untracked = createHook({ trackPromises: false });
const option = Object.getOwnPropertySymbols(untracked).find(
  (symbol) => untracked[symbol] === true && tracked[symbol] === false,
);

if (option !== undefined) {
  const hooks = Object.getPrototypeOf(untracked);
  const { enable } = hooks;
  hooks.enable = function () {
    this[option] = true;
    return enable.call(this);
  };
}
