// The layers above the port maintain unique indexes: a writer puts a record of each value beside
// the entry, guarded, in the same commit. The engine only ensures that no put bypasses an index
// that its writer did not know.

import type { RegionWrite } from './engine.ts';
import { indexesChanged } from './errors.ts';
import type { IndexDefinition } from './index-definition.ts';

/** Throws `engine/indexes-changed` when a put was made for other unique indexes than the region has. */
export function checkUnique(
  { changes, region, unique = [] }: RegionWrite,
  indexes: readonly IndexDefinition[] = [],
): void {
  let known = 0;
  let isSame = true;
  for (const { records } of indexes) {
    if (records === undefined) continue;
    known += 1;
    if (!unique.includes(records)) isSame = false;
  }
  if (isSame && known === unique.length) return;
  if (changes.every(({ kind }) => kind !== 'put')) return;
  throw indexesChanged(region);
}
