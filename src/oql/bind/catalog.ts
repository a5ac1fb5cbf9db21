// The binder's port to the outside: existing regions and types. The owner of the regions implements
// it; a catalog must not change while one query is bound.

export interface Catalog {
  /** Undefined when there is no such region. Subregions are named with slashes: `root/sub`. */
  findRegion(name: string): CatalogRegion | undefined;
  /** All names a query may use, for "did you mean". */
  regionNames(): Iterable<string>;
  /**
   * Member names seen in values whose `@type` is this type, undefined when none were seen. The name
   * is qualified where an IMPORT qualifies it: `org.example.Order`.
   */
  findTypeMembers(typeName: string): readonly string[] | undefined;
}

export interface CatalogRegion {
  readonly type: 'REPLICATE' | 'PARTITION' | 'EMPTY';
  /** Member names of its values, if the region has a value constraint; else undefined. */
  readonly valueMembers: readonly string[] | undefined;
}
