// The description of an operation beyond its route: texts, parameters, bodies and answers.
// openapi.ts combines both.

/** JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export type Schema = Readonly<Record<string, unknown>>;

export const TAGS = {
  Regions: 'The regions of the grid, their entries as pages, and their keys.',
  Changes: 'What happens in regions, as pages and as streams.',
  Entries: 'Entries by key: reading, writing on conditions, removing.',
  Queries: 'Named queries in OQL, and queries given as text.',
  Members: 'The members that run the service, and whether this one does.',
  Management: 'Creating and destroying regions and indexes, running queries, settings, counters.',
  Service: 'For the machinery around the service: probes, metrics, this description.',
} as const;

export interface OperationDescription {
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly description?: string;
  /** Query and header parameters; those of the path follow from the route. */
  readonly parameters?: readonly ParameterDescription[];
  /** Whether placeholders of the query are accepted as query parameters. */
  readonly takesPlaceholders?: true;
  readonly body?: BodyDescription;
  /** Answers that are not errors, by status. */
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  /** Errors specific to the operation, by status; those common to all requests are added. */
  readonly errors?: Readonly<Record<number, string | ErrorDescription>>;
  /** HEAD is described too, if it differs from GET without a body. */
  readonly describesHead?: true;
}

/** By the names that the route table uses. */
export type Operations = Readonly<Record<string, OperationDescription>>;

export interface ParameterDescription {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly description: string;
  readonly schema: Schema;
  readonly required?: true;
  readonly example?: unknown;
}

export interface BodyDescription {
  readonly description: string;
  readonly schema: Schema;
  readonly optional?: true;
  /** Each with its own schema and examples; absent: `application/json` alone. */
  readonly mediaTypes?: Readonly<Record<string, Omit<BodyDescription, 'description'>>>;
  readonly examples?: Readonly<Record<string, unknown>>;
}

export interface AnswerDescription {
  readonly description: string;
  readonly headers?: readonly HeaderName[];
  /** Media types with the schema of each; none when the answer has no body. */
  readonly content?: Readonly<Record<string, ContentDescription>>;
}

export interface ContentDescription {
  /** Absent if there is a type but no body, as with HEAD. */
  readonly schema?: Schema;
  readonly example?: unknown;
}

/** An error with headers of its own, or whose JSON is not always the common error object. */
export interface ErrorDescription extends ContentDescription {
  readonly description: string;
  readonly headers?: readonly HeaderName[];
}

export const HEADERS = {
  'Accept-Encoding': 'The content codings of bodies, when the one sent is not among them.',
  'Accept-Patch': 'The media types of partial writes, when the one sent is not among them.',
  'Accept-Query': 'The media types of queries, when the one sent is not among them.',
  'Content-Location': 'The address of the entries, with the keys in the order of the values.',
  ETag: 'The version of the entry, or of all entries read.',
  Expires: 'When the entry expires, for one that does.',
  'Idempotent-Replayed': '`true` where the answer repeats that of an earlier request.',
  Link: 'The address of the next page, with `rel="next"`, when there is more.',
  Location: 'The address of the resource.',
  'Preference-Applied': 'The parts of `Prefer` that were applied.',
  'Query-Warnings':
    'A JSON array of sentences: what seems wrong with the query although it ran, such as a member that no document has.',
  'Resource-Count': 'The number of entries.',
  'Retry-After': 'Seconds after which another attempt makes sense.',
  'WWW-Authenticate': 'The ways to log in.',
  'X-Request-Id': 'The id of the request, as in the log.',
} as const;

export type HeaderName = keyof typeof HEADERS;

/** Reasons of errors that several operations have. */
export const REASONS = {
  noRegion: 'The region does not exist.',
  noQuery: 'There is no query with this id.',
  momentGone: 'With `at`: the moment is older than what the region keeps.',
  keyInUse: 'The first request with this idempotency key is still running.',
  notUnique: 'Another entry has the same value of a unique index.',
  preconditionFailed: 'The precondition does not hold; nothing was written.',
  keyReused: 'The idempotency key was used for another request.',
} as const;

/** Operations of one topic. */
export function withTag(
  tag: keyof typeof TAGS,
  operations: Readonly<Record<string, Omit<OperationDescription, 'tag'>>>,
): Operations {
  return mapValues(operations, (operation) => ({ tag, ...operation }));
}

export function mapValues<T, R>(
  record: Readonly<Record<string, T>>,
  convert: (value: T, key: string) => R,
): Readonly<Record<string, R>> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, convert(value, key)]),
  );
}

export function ref(schema: string): Schema {
  return { $ref: `#/components/schemas/${schema}` };
}

type ParameterExtras = Pick<ParameterDescription, 'required' | 'example'>;

export function inQuery(
  name: string,
  description: string,
  schema: Schema,
  extras: ParameterExtras = {},
): ParameterDescription {
  return { name, in: 'query', description, schema, ...extras };
}

export function inHeader(name: string, description: string, schema: Schema): ParameterDescription {
  return { name, in: 'header', description, schema };
}

/** A parameter of the query string that is `false` unless the request says `true`. */
export function flag(name: string, description: string): ParameterDescription {
  return inQuery(name, description, { type: 'boolean', default: false });
}

/** An answer in JSON. */
export function json(
  description: string,
  schema: Schema,
  extras: { readonly headers?: readonly HeaderName[]; readonly example?: unknown } = {},
): AnswerDescription {
  const { example, headers = [] } = extras;
  const content = example === undefined ? { schema } : { schema, example };
  return { description, headers, content: { 'application/json': content } };
}

/** The same answer also as NDJSON. */
export function withLines(answer: AnswerDescription): AnswerDescription {
  const lines = { schema: { type: 'string', description: 'One element a line.' } };
  return { ...answer, content: { ...answer.content, 'application/x-ndjson': lines } };
}

/** An answer without a body. */
export function empty(description: string, headers: readonly HeaderName[] = []): AnswerDescription {
  return { description, headers };
}
