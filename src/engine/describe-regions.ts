import type { RegionDefinition, RegionDescription } from './engine.ts';

interface DescribedRegion extends Omit<RegionDescription, keyof RegionDefinition> {
  readonly definition: RegionDefinition;
}

/** For `Engine.describeRegions`, ordered by name. */
export function describeRegions(regions: Iterable<DescribedRegion>): readonly RegionDescription[] {
  const described = Array.from(
    regions,
    ({ definition, entryCount, indexes, valueBytes }): RegionDescription => ({
      ...definition,
      indexes,
      entryCount,
      valueBytes,
    }),
  );
  return described.sort((a, b) => (a.name < b.name ? -1 : 1));
}
