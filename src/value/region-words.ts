// The words that define regions and indexes, in requests, in settings and in stores.

export const REGION_TYPES = ['REPLICATE', 'PARTITION', 'EMPTY'] as const;
export type RegionType = (typeof REGION_TYPES)[number];

/** Types of keys; each may be written with its package, `java.lang.`. */
export const KEY_CONSTRAINTS = ['String', 'Integer', 'Long'] as const;

/** `key` declares that the indexed value is the key of its entry. */
export const INDEX_KINDS = ['range', 'hash', 'key'] as const;
export type IndexKind = (typeof INDEX_KINDS)[number];

/** Members of definitions; regions that settings declare have `indexes` too. */
export const SETTING_MEMBERS: readonly string[] = ['history', 'entry-ttl', 'max-ttl'];
export const REGION_MEMBERS: readonly string[] = [
  'name',
  'type',
  'key-constraint',
  'value-constraint',
  ...SETTING_MEMBERS,
];
export const INDEX_MEMBERS: readonly string[] = ['name', 'expression', 'from', 'kind', 'unique'];

export function isOneOf<Word extends string>(words: readonly Word[], text: string): text is Word {
  const known: readonly string[] = words;
  return known.includes(text);
}
