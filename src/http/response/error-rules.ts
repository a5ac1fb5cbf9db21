// The only place where a failure becomes a status. A new code does not compile until it is in the
// table, nor pass the tests until docs/errors.md has it.

import type { EngineErrorCode, GridErrorCode, OqlErrorCode } from '../../grid/index.ts';

export type ErrorCode =
  | RequestErrorCode
  | GridErrorCode
  | EngineErrorCode
  | OqlErrorCode
  | 'internal/error';

/**
 * `error`: the common error object. `text`: the message as a JSON string (spec 4.5, 7). `current`:
 * the conflicting JSON value.
 */
type ErrorBody = 'error' | 'text' | 'current';

export interface ErrorRule {
  /** The status of the specification, if it has one. */
  readonly status: number;
  /** Used where the specification is silent and `status` would be 5xx for a client's mistake. */
  readonly causeStatus?: number;
  readonly body?: ErrorBody;
  readonly retryAfterSeconds?: number;
  /**
   * Whether the connection must be closed, because its next bytes cannot be trusted or are not
   * read.
   */
  readonly closes?: true;
  /** Whether nothing was done because too many requests were in progress. */
  readonly refuses?: true;
  /**
   * How to fix the mistake; an error that knows a better hint (the nearest right name, say) has its
   * own. A hint never names data, so every login may see it.
   */
  readonly hint?: string;
}

const FIX_QUERY = 'Fix the text at the position in the message';
const FIX_DATA = 'Exclude the entry by a condition, or change its value';

/** The rule of a query that fails on an entry, if its code is also that of a wrong text. */
export const ENTRY_RULE: ErrorRule = { status: 422, hint: FIX_DATA };

/** Of requests that cannot be served as they were sent; their codes are declared here. */
// biome-ignore format: a table reads best as one
const REQUEST_RULES = {
  'request/malformed': { status: 400, closes: true, hint: 'Send one well-formed HTTP/1.1 request at a time' },
  'request/bad-encoding': { status: 400, hint: 'Percent-encode as UTF-8, once' },
  'request/bad-limit': { status: 400, hint: 'Send an integer in the range that the message names' },
  'request/bad-flag': { status: 400, hint: 'Send true or false' },
  'request/bad-parameter': { status: 400, hint: 'Correct or leave out the parameter that the message names' },
  'request/bad-cursor': { status: 400 },
  'request/unknown-parameter': { status: 400, hint: 'Use one of the names in the message, or leave the parameter out' },
  'request/bad-operation': { status: 400, hint: 'Use one of the words in the message' },
  'request/bad-keys': { status: 400, hint: 'Name the keys with a comma between them; a comma in a key is %2C' },
  'request/bad-precondition': { status: 400, hint: 'State conditions on writes to one key, or as if-match of an item' },
  'request/bad-idempotency-key': { status: 400, hint: 'Send 1 to 255 printable ASCII characters, or leave it out' },
  'request/idempotency-key-in-use': { status: 409, retryAfterSeconds: 1, hint: 'Send the request again after Retry-After' },
  'request/idempotency-key-reused': { status: 422, hint: 'Use a new key for a new request' },
  'request/too-many-operations': { status: 413, hint: 'Split the request; _bulk without atomic=true takes any number' },
  'request/no-body': { status: 400, hint: 'Send a body, with its Content-Type' },
  'request/bad-json': { status: 400, hint: 'Fix the JSON at the position in the message' },
  'request/bad-body': { status: 400, hint: 'Send a body of the shape that the message names' },
  'request/bad-patch': { status: 400, hint: 'Fix the operation that the message names' },
  'request/bad-query-text': { status: 400 },
  'request/path-not-found': { status: 404, hint: 'Look for the path in openapi.json' },
  'request/method-not-allowed': { status: 405, hint: 'Use a method that Allow lists' },
  'request/not-acceptable': { status: 406, hint: 'Accept one of the media types in the message' },
  'request/timeout': { status: 408, closes: true, hint: 'Send the request faster, or in smaller parts' },
  'request/body-too-large': { status: 413, closes: true, hint: 'Send less at once, or raise limits.body-bytes' },
  'request/url-too-long': { status: 414, closes: true },
  'request/expectation-failed': { status: 417, closes: true },
  'request/unsupported-media-type': { status: 415, hint: 'Send one of the media types in the message' },
  'request/unsupported-encoding': { status: 415, hint: 'Compress the body with gzip or zstd, or not at all' },
  'request/unsupported-transfer-coding': { status: 501, closes: true },
  'request/headers-too-large': { status: 431, closes: true },
  'request/overloaded': { status: 503, retryAfterSeconds: 1, refuses: true },
  'request/too-many-streams': { status: 503, retryAfterSeconds: 5 },
  'request/starting': { status: 503, retryAfterSeconds: 1 },
  'request/shutting-down': { status: 503, retryAfterSeconds: 5, closes: true },
  'request/not-ready': { status: 503, retryAfterSeconds: 5 },
  'request/not-available': { status: 404, closes: true },
  'request/wrong-host': { status: 421, closes: true },
  'request/foreign-origin': { status: 403, hint: 'Add the origin to http.cors-origins if you trust it' },

  'auth/login-required': { status: 401, hint: 'Send Authorization, or X-Api-Key' },
  'auth/login-failed': { status: 401, hint: 'Check the name and the password, the key or the token' },
  'auth/not-permitted': { status: 403, hint: 'Use a login that has the permission, or ask for it' },
  'auth/too-many-failures': { status: 429, hint: 'Try again after Retry-After' },
  'auth/unavailable': { status: 503, retryAfterSeconds: 5 },
} as const;

/** Thrown by the constructors in errors.ts. */
export type RequestErrorCode = keyof typeof REQUEST_RULES;

// biome-ignore format: a table reads best as one
export const ERROR_RULES: Readonly<Record<ErrorCode, ErrorRule>> = {
  ...REQUEST_RULES,

  'grid/region-not-found': { status: 404, hint: 'List the regions to see their names' },
  'grid/region-forbidden': { status: 403, hint: 'Use a login that has the permission, or ask for it' },
  'grid/no-regions': { status: 404 },
  'grid/region-exists': { status: 409 },
  'grid/bad-region': { status: 400 },
  'grid/bad-key': { status: 400, hint: 'Use a key that meets the rule in the message' },
  'grid/bad-value': { status: 400, hint: 'Send a value that the region takes: an object, or an array of objects' },
  'grid/value-too-large': { status: 413, hint: 'Split the value' },
  'grid/count-failed': { status: 400 },
  'grid/keys-missing': { status: 400, body: 'text' },
  'grid/keys-not-found': { status: 404, hint: 'Create the entry first, or leave the key out' },
  'grid/keys-exist': { status: 409, hint: 'Replace the entry instead, or take another key' },
  'grid/key-exists': { status: 409, body: 'current' },
  'grid/value-differs': { status: 409, body: 'current' },
  'grid/patch-failed': { status: 409, hint: 'Read the entry, and build a new patch' },
  'grid/precondition-failed': { status: 412, hint: 'Read the entry, and try again with its version' },
  'grid/condition-failed': { status: 409, hint: 'Read the entry that failed, and try again with its state' },
  'grid/not-unique': { status: 409 },
  'grid/operation-not-supported': { status: 500, causeStatus: 409, hint: 'Put the entry, or use a region that keeps its entries' },
  'grid/query-not-found': { status: 404, hint: 'List the named queries to see their ids' },
  'grid/query-exists': { status: 409, body: 'current' },
  'grid/bad-query-id': { status: 400 },
  'grid/index-exists': { status: 409 },
  'grid/index-not-found': { status: 404 },
  'grid/bad-index': { status: 400 },
  'grid/too-many-queries': { status: 503, retryAfterSeconds: 1, refuses: true },
  'grid/running-query-not-found': { status: 404 },
  'grid/changes-gone': { status: 410, hint: 'Read the regions again, then follow the changes since latest' },
  'grid/too-many-live-queries': { status: 503, retryAfterSeconds: 5 },
  'grid/live-query-too-large': { status: 413, hint: 'Narrow the query, or raise live.max-rows' },
  'grid/live-query-too-slow': { status: 503, retryAfterSeconds: 5 },
  'grid/bad-ttl': { status: 400, hint: 'Send a shorter time that is above 0' },
  'grid/no-history': { status: 400, hint: 'Give the region a history first' },
  'grid/history-gone': { status: 410, hint: 'Ask for a moment from oldest to latest' },
  'grid/moment-ahead': { status: 400, hint: 'Ask for a moment in the past' },
  'grid/version-not-found': { status: 404, hint: 'List the versions of the entry to see which are kept' },

  'engine/region-gone': { status: 404, hint: 'List the regions to see their names' },
  'engine/indexes-changed': { status: 503, retryAfterSeconds: 1 },
  'engine/value-too-large': { status: 413, hint: 'Split the value' },
  'engine/read-too-large': { status: 413, hint: 'Read fewer entries at once' },
  'engine/bad-key': { status: 400, hint: 'Use a key that is not empty, without NUL' },
  'engine/store-full': { status: 500 },
  'engine/store-failed': { status: 500 },
  'engine/store-damaged': { status: 500 },
  'engine/store-inaccessible': { status: 500 },
  'engine/store-locked': { status: 500 },
  'engine/store-newer': { status: 500 },
  'engine/store-not-empty': { status: 500 },
  'engine/unreachable': { status: 503, retryAfterSeconds: 2 },
  'engine/outcome-unknown': { status: 500 },
  'engine/aborted': { status: 503, retryAfterSeconds: 1 },
  'engine/closed': { status: 503, retryAfterSeconds: 5, closes: true },

  'oql/syntax-error': { status: 500, causeStatus: 400, hint: FIX_QUERY },
  'oql/not-supported': { status: 500, causeStatus: 400, hint: FIX_QUERY },
  'oql/text-too-long': { status: 500, causeStatus: 400, hint: 'Shorten the text; put long lists into parameters' },
  'oql/nesting-too-deep': { status: 500, causeStatus: 400, hint: 'Nest less deeply' },
  'oql/too-many-placeholders': { status: 500, causeStatus: 400, hint: 'Put lists into one parameter' },
  'oql/too-many-parts': { status: 500, causeStatus: 400, hint: 'Split the query into several' },
  'oql/literal-invalid': { status: 500, causeStatus: 400, hint: FIX_QUERY },
  'oql/type-not-found': { status: 500, causeStatus: 400, hint: FIX_QUERY },
  'oql/aggregate-misplaced': { status: 500, causeStatus: 400, hint: FIX_QUERY },
  'oql/grouping-invalid': { status: 500, causeStatus: 400, hint: FIX_QUERY },
  'oql/like-pattern-invalid': { status: 500, causeStatus: 400, hint: FIX_QUERY },
  'oql/region-not-found': { status: 500, causeStatus: 400, hint: 'List the regions to see their names' },
  'oql/name-ambiguous': { status: 500, causeStatus: 400, hint: 'Name the region variable before the member' },
  'oql/name-unresolved': { status: 500, causeStatus: 400, hint: FIX_QUERY },
  'oql/field-not-found': { status: 500, causeStatus: 400, hint: FIX_QUERY },
  'oql/method-not-found': { status: 500, causeStatus: 400, hint: FIX_QUERY },
  'oql/member-unknown': { status: 500, causeStatus: 400, hint: FIX_QUERY },
  'oql/region-not-permitted': { status: 500, causeStatus: 422, hint: 'Query a region that keeps its entries' },
  'oql/parameter-count': { status: 500, causeStatus: 400, hint: 'Give one value for each placeholder' },
  'oql/parameter-type': { status: 500, causeStatus: 400, hint: 'Give a value of the type that the message names' },
  'oql/type-mismatch': { status: 500, causeStatus: 422, hint: FIX_DATA },
  'oql/function-domain': { status: 500, causeStatus: 422, hint: FIX_DATA },
  'oql/division-by-zero': { status: 500, causeStatus: 422, hint: FIX_DATA },
  'oql/method-failed': { status: 500, causeStatus: 422, hint: FIX_DATA },
  'oql/data-unavailable': { status: 500, causeStatus: 503 },
  'oql/values-not-comparable': { status: 500, causeStatus: 422, hint: FIX_DATA },
  'oql/index-out-of-range': { status: 500, causeStatus: 422, hint: FIX_DATA },
  'oql/date-invalid': { status: 500, causeStatus: 422, hint: FIX_DATA },
  'oql/row-count-invalid': { status: 500, causeStatus: 422, hint: 'Give a whole number of rows, not negative' },
  'oql/method-not-permitted': { status: 500, causeStatus: 400, hint: FIX_QUERY },
  'oql/result-not-collection': { status: 500, causeStatus: 422, hint: 'Write a query that gives rows: SELECT … FROM …' },
  'oql/too-many-rows': { status: 500, causeStatus: 422, hint: 'Narrow the query, or add LIMIT' },
  'oql/cancelled': { status: 500, causeStatus: 503 },
  'oql/timeout': { status: 500, causeStatus: 504 },
  'oql/low-memory': { status: 500, causeStatus: 503 },

  'internal/error': { status: 500 },
};
