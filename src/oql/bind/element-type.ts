// The static type of the elements of a collection: only the names of their members, as far as they
// decide which iterator owns an unqualified name.

/** Untyped values may have any member: JSON values, and keys of regions. */
export type ElementType = { readonly kind: 'untyped' } | TypedMembers;

export interface TypedMembers {
  /**
   * `struct`: has exactly these fields, any other name is an error. `entry`: key and value.
   * `document`: a JSON object that usually has these members, but may lack some or have others.
   */
  readonly kind: 'struct' | 'entry' | 'document';
  readonly members: ReadonlySet<string>;
}

export const UNTYPED: ElementType = { kind: 'untyped' };

export const ENTRY_TYPE: ElementType = { kind: 'entry', members: new Set(['key', 'value']) };

/** Untyped if no members are known. */
export function documentType(members: readonly string[] | undefined): ElementType {
  return members === undefined ? UNTYPED : { kind: 'document', members: new Set(members) };
}

/** The member that a getter reads: `key` for `getKey`; any other name is unchanged. */
export function withoutGetter(name: string): string {
  if (!name.startsWith('get')) return name;
  const match = /^get(\p{Lu})(.*)$/su.exec(name);
  return match === null ? name : (match[1] ?? '').toLowerCase() + (match[2] ?? '');
}
