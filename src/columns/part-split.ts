// The parts of a table that a query needs, and the others. Pending changes can be applied to the
// former first, so that the query does not wait for the latter.
//
// Some parts can only be written together: lists with everything in their items, and the columns of
// one index. All paths below one member of the rows are a unit; the units of an index belong
// together.

import { type ColumnPath, pathKey } from '../value/column-path.ts';
import type { WrittenParts } from './written-parts.ts';

export interface PartSplit {
  /** The units of the needed parts. */
  readonly units: ReadonlySet<string>;
  readonly needed: WrittenParts;
  readonly others: WrittenParts;
}

export function unitOf([member = []]: ColumnPath): string {
  return pathKey([member]);
}

/** Adds the units of each index that one of them belongs to. */
export function joinUnits(
  units: readonly string[],
  indexed: readonly (readonly ColumnPath[])[],
): ReadonlySet<string> {
  const joined = new Set(units);
  for (let size = -1; size < joined.size; ) {
    size = joined.size;
    for (const paths of indexed) {
      const ofIndex = paths.map(unitOf);
      if (ofIndex.some((unit) => joined.has(unit))) for (const unit of ofIndex) joined.add(unit);
    }
  }
  return joined;
}
