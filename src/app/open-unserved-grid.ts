// A grid over an engine without a server: for commands that write into a store, and for checking
// declarations.

import type { Config } from '../config/config.ts';
import type { Engine } from '../engine/engine.ts';
import { Grid } from '../grid/index.ts';
import { toGridLimits } from './service-limits.ts';

/** The same rules and limits as over HTTP; nothing is reported. The caller closes the engine. */
export function openUnservedGrid(engine: Engine, config: Config): Promise<Grid> {
  return Grid.open({
    engine,
    limits: toGridLimits(config),
    observe: () => undefined,
    servers: () => [],
    now: () => performance.now(),
    wallClock: Date.now,
    pause: () => new Promise((done) => setImmediate(done)),
    isMemoryLow: () => false,
  });
}
