// The media types of answers, and the forms of rows and entries.

export const TEXT_TYPE = 'text/plain';
/** JSON texts, one per line. */
export const NDJSON_TYPE = 'application/x-ndjson';

export const CSV_TYPE = 'text/csv';

export const JSON_TYPE = 'application/json';

/** The form of rows and entries in an answer. */
export type RowForm = 'json' | 'ndjson' | 'csv';

/** Media types. JSON first: the default for a client without a preference. */
export const ROW_TYPES: Readonly<Record<RowForm, string>> = {
  json: JSON_TYPE,
  ndjson: NDJSON_TYPE,
  csv: CSV_TYPE,
};

/** The `Content-Type` of an answer with elements in that form. */
export function elementType(form: RowForm): string {
  return form === 'csv' ? `${CSV_TYPE}; charset=utf-8; header=present` : ROW_TYPES[form];
}

/** A query plan: JSON, but not a result. */
export const PLAN_TYPE = 'application/vnd.gridkeep.plan+json';
/** The specification requires this form twice (4.3, 4.11). */
export const JSON_UTF8_TYPE = 'application/json; charset=utf-8';

/** Errors in the form of RFC 9457. */
export const PROBLEM_TYPE = 'application/problem+json';
