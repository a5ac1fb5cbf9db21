// Code that has not run for a while stays compiled.

import { setFlagsFromString } from 'node:v8';

/**
 * V8 drops code that has not run during some collections of garbage, and a burst of writes makes
 * many. The next query would run its loops over all rows in the interpreter.
 */
export function keepCompiledCode(): void {
  setFlagsFromString('--no-flush-bytecode');
}
