// Loaded before the tests of `npm test`: ends a process of tests that does not end by itself, and
// shows where it was. A separate thread does it, because a loop that never waits stops all timers of
// its thread, and a time limit of the test runner with them.

import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { isMainThread, Worker } from 'node:worker_threads';

/** The longest process of `npm test` takes two minutes; `npm run test:long` sets another limit. */
const LIMIT_MS = Number(process.env['TEST_LIMIT_MS'] ?? 600_000);

if (isMainThread) {
  new Worker(new URL(import.meta.url), { argv: ['watch'], execArgv: [] }).unref();
} else if (process.argv[2] === 'watch') {
  setTimeout(endProcess, LIMIT_MS);
}

function endProcess(): void {
  const session = new Session();
  session.connectToMainThread();
  const urls = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url));
  session.on('Debugger.paused', ({ params: { asyncStackTrace, callFrames } }) => {
    const calls = callFrames.map(({ functionName, location }) => ({ functionName, ...location }));
    for (let stack = asyncStackTrace; stack !== undefined; stack = stack.parent) {
      calls.push(...stack.callFrames);
    }
    const places = calls.map(
      ({ functionName, lineNumber, scriptId }) =>
        `${functionName} (${urls.get(scriptId)}:${lineNumber + 1})`,
    );
    end(places.filter((place) => place.includes('file:')));
  });
  session.post('Debugger.enable');
  // Async stack traces are recorded from now on, so wait a moment.
  session.post('Debugger.setAsyncCallStackDepth', { maxDepth: 8 });
  setTimeout(() => session.post('Debugger.pause'), 100);
  // An idle process is in no function.
  setTimeout(end, 5000, ['nowhere: they wait']);
}

/** Writes directly to standard error, because that of a thread goes through the stuck main thread. */
function end(places: readonly string[]): void {
  const lines = places.map((place) => `  at ${place}\n`).join('');
  writeSync(2, `These tests did not end within ${LIMIT_MS / 1000} s:\n${lines}`);
  process.kill(process.pid, 'SIGKILL');
}
