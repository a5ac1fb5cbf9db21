// The path of a column's values in a document. The path of `o.customer.name` is [['customer',
// 'name']]; that of `i.sku` in `FROM /orders o, o.items i` is [['items'], ['sku']]: every further
// segment begins at the items of the collection at which the previous one ends.

export type ColumnPath = readonly (readonly string[])[];

/**
 * A text that is the same only for equal paths: names prefixed with their lengths, segments
 * separated.
 */
export function pathKey(path: ColumnPath): string {
  let key = '';
  for (const segment of path) {
    for (const name of segment) key += `${name.length}:${name}`;
    key += ';';
  }
  return key;
}

/** The path of the collection that a nested path iterates; undefined at the root. */
export function collectionPath(path: ColumnPath): ColumnPath | undefined {
  return path.length > 1 ? path.slice(0, -1) : undefined;
}
