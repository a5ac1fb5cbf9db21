// An engine whose calls take some rounds of the event loop, so that requests that are not serialized
// overtake each other.

import type { Engine, Region } from '../../src/engine/engine.ts';

/** How many rounds the next call takes. */
export type Rounds = () => number;

export function createSlowEngine(engine: Engine, rounds: Rounds): Engine {
  return new Proxy(engine, {
    get(_, property) {
      const member: unknown = Reflect.get(engine, property);
      if (typeof member !== 'function') return member;
      if (property !== 'openRegion') return member.bind(engine);
      return async (name: string): Promise<Region | undefined> => {
        const region = await engine.openRegion(name);
        return region && slowDown(region, rounds);
      };
    },
  });
}

function slowDown(region: Region, rounds: Rounds): Region {
  return new Proxy(region, {
    get(_, property) {
      const member: unknown = Reflect.get(region, property);
      if (typeof member !== 'function') return member;
      return async (...parameters: unknown[]): Promise<unknown> => {
        for (let left = rounds(); left > 0; left -= 1) {
          await new Promise((resolve) => setImmediate(resolve));
        }
        return Reflect.apply(member, region, parameters);
      };
    },
  });
}
