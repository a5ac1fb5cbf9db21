// The async hook of the test runner, which maps each promise and handle to a test. The runner needs it
// while tests are declared, to find the `describe` around each. After that it only names the test of an
// error that nothing caught, and takes up to a third of the processor time of a test that waits often.

import { createHook } from 'node:async_hooks';
import { inspect } from 'node:util';

/** An uncaught error has failed the process by then; the test that waits in vain would not end. */
const END_AFTER_MS = 1000;

const { prototype } = createHook({}).constructor;
const { enable } = prototype;
let ofRunner;

// The runner enables its hook with the first test, before anything else does.
prototype.enable = function () {
  ofRunner = this;
  prototype.enable = enable;
  return enable.call(this);
};

/** Called when all tests of the process are declared. */
export function disableRunnerHook() {
  ofRunner?.disable();
  process.on('uncaughtException', endLater);
  process.on('unhandledRejection', endLater);
}

/** The runner fails the process; the error goes to the report of `scripts/run-tests.mjs`. */
function endLater(error) {
  process.stderr.write(`Nothing caught this error: ${inspect(error)}\n`);
  setTimeout(() => process.exit(1), END_AFTER_MS).unref();
}
