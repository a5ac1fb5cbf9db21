// How query results show values that JSON does not have. The service's own API has one form, a
// dialect may have another.

export interface ResultForm {
  /** The JSON for UNDEFINED. */
  readonly missing: string;
  /** The printed name of a stored `@type`. */
  readonly typeName: '@type' | 'type-class';
  /** NaN and the infinities, as null or as texts. */
  readonly nonFinite: 'null' | 'text';
}

export const OWN_FORM: ResultForm = {
  missing: 'null',
  typeName: 'type-class',
  nonFinite: 'null',
};
