// The definition of a region without settings, for tests that need just any region.

import type { RegionDefinition } from '../engine.ts';

export function plainRegion(name: string): RegionDefinition {
  return { name, type: 'REPLICATE', keyConstraint: null, valueConstraint: null };
}
