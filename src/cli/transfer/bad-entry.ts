// An invalid entry of an import.

/** The position of an entry in its input: `line 3`, `element 3`, `row 3`. Counted from 1. */
export interface InputPosition {
  readonly unit: 'line' | 'element' | 'row' | 'entry';
  readonly number: number;
}

export class BadEntryError extends Error {
  readonly position: InputPosition;

  constructor(reason: string, details: ErrorOptions & { readonly position: InputPosition }) {
    super(reason, details);
    this.name = 'BadEntryError';
    this.position = details.position;
  }
}
