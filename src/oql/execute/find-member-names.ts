// The names of existing members near an unknown one: a few documents are read for them, since
// columns hold only requested members.

import { toCollection } from '../../value/collections.ts';
import { parseJson } from '../../value/json-parse.ts';
import { Document, type Value } from '../../value/value.ts';
import type { ColumnPath, SourceTable } from '../columnar/column-source.ts';

/** Documents of a region are mostly alike. */
const DOCUMENTS = 16;

/** The members beside the one that a path leads to, in the first documents of a table. */
export async function findMemberNames(
  table: SourceTable,
  path: ColumnPath,
): Promise<readonly string[]> {
  const rows: number[] = [];
  for (let row = 0; row < table.size && rows.length < DOCUMENTS; row += 1) {
    if (table.isVisible(row)) rows.push(row);
  }
  if (rows.length === 0) return [];
  const names = new Set<string>();
  for (const text of await table.readTexts(rows)) {
    for (const parent of parentsOf(parseJson(text), path)) {
      if (parent instanceof Document) for (const name of parent.members.keys()) names.add(name);
    }
  }
  return [...names];
}

/** The values whose member the path ends at. */
function parentsOf(root: Value, path: ColumnPath): readonly Value[] {
  let found: readonly Value[] = [root];
  for (const [depth, segment] of path.entries()) {
    const isLast = depth === path.length - 1;
    for (const name of isLast ? segment.slice(0, -1) : segment) {
      found = found.flatMap((value) => {
        const member = value instanceof Document ? value.members.get(name) : undefined;
        return member === undefined ? [] : [member];
      });
    }
    if (!isLast) found = found.flatMap((value) => toCollection(value) ?? []);
  }
  return found;
}
