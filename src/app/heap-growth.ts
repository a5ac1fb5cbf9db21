// How far the heap may grow between two collections of all of it.

import { setFlagsFromString } from 'node:v8';
import { memoryBytes } from './memory-watch.ts';

/** With less memory V8 decides by itself, and collects more often. */
const MUCH_BYTES = 2 ** 31;
/** Of what was alive after the last collection; array buffers that came since count too. */
const GROWTH_PERCENT = 200;

/**
 * V8 lets a small heap grow by some 40 MiB, which a dozen queries allocate. A collection holds the
 * event loop for 5 to 20 ms, and drops compiled code.
 */
export function letHeapGrow(): void {
  if (memoryBytes() > MUCH_BYTES) setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
