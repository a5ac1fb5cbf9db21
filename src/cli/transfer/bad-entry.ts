// A part of an import that holds no entry.

/** Where an entry stands in its input: `line 3`, `element 3`, `row 3`. Counted from 1. */
export interface Place {
  readonly unit: 'line' | 'element' | 'row' | 'entry';
  readonly number: number;
}

export class BadEntryError extends Error {
  readonly place: Place;

  constructor(reason: string, details: ErrorOptions & { readonly place: Place }) {
    super(reason, details);
    this.name = 'BadEntryError';
    this.place = details.place;
  }
}
