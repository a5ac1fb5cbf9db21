// A region without anything special, for tests that only need one.

import type { RegionDefinition } from '../engine.ts';

export function plainRegion(name: string): RegionDefinition {
  return { name, type: 'REPLICATE', keyConstraint: null, valueConstraint: null };
}
