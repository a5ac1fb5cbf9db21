// The path of a column's values in a document. The path of `o.customer.name` is [['customer',
// 'name']]; that of `i.sku` in `FROM /orders o, o.items i` is [['items'], ['sku']]: every further
// segment begins at the items of the collection at which the previous one ends.

export type ColumnPath = readonly (readonly string[])[];

/**
 * A text that is the same only for equal paths: names prefixed with their lengths, segments
 * separated. That of `o.name` is `/.4:name`.
 */
export function pathKey(path: ColumnPath): string {
  let key = '';
  for (const segment of path) {
    key += '/';
    for (const name of segment) key = memberKey(key, name);
  }
  return key;
}

/** The key of a member of the value at a path. */
export function memberKey(path: string, name: string): string {
  return `${path}.${name.length}:${name}`;
}

/** A path that goes on with members of what it leads to. */
export function extendPath(path: ColumnPath, members: readonly string[]): ColumnPath {
  return [...path.slice(0, -1), [...(path.at(-1) ?? []), ...members]];
}

/** The path of the collection that a nested path iterates; undefined at the root. */
export function collectionPath(path: ColumnPath): ColumnPath | undefined {
  return path.length > 1 ? path.slice(0, -1) : undefined;
}
