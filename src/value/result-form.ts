// How query results show what JSON has no word for. The service's own API has one form, a dialect
// may have another.

export interface ResultForm {
  /** JSON that stands for UNDEFINED. */
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
