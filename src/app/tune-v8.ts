// Settings of V8 for a process that runs for days. They may be set late: V8 reads them at each
// garbage collection.

import { setFlagsFromString } from 'node:v8';
import { memoryBytes } from './memory-watch.ts';

/** With less memory V8 itself decides how far the heap grows, and collects more often. */
const MUCH_BYTES = 2 ** 31;
/** Growth relative to the live heap after the last collection, including new array buffers. */
const GROWTH_PERCENT = 200;

export function tuneV8(): void {
  // V8 drops code that has not run during some collections, and a burst of writes makes many. The
  // next query would run its loops over all rows in the interpreter.
  setFlagsFromString('--no-flush-bytecode');
  // V8 lets a small heap grow by some 40 MiB, which a dozen queries allocate. A collection of all
  // of it holds the event loop for 5 to 20 ms, and drops compiled code.
  if (memoryBytes() > MUCH_BYTES) setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
