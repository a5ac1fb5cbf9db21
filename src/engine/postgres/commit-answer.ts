// The answer of the commit functions. All rows have the same columns; each kind uses some of them.

/** The columns of `changes` as `change-log.ts` reads them; in an answer they follow `what`. */
export const LOG_COLUMNS: string = `c.sequence, c.ordinal::bigint, c.kind, c.region, c.name,
  array_to_json(c.keys)::text, array_to_string(c.vals, E'\\n', ''),
  c.server, c.batch, c.request_in_batch, c.count_delta, c.bytes_delta, c.position`;

/** The kind of a row of the answer; its columns are listed after it. */
export const ANSWER = {
  /** A commit of another server: all columns of the log. */
  commit: 1,
  /** A request was committed: sequence, request, count_delta, bytes_delta; ordinal of the write in a commit. */
  done: 2,
  /** A guard of the request failed: request. */
  failed: 3,
  /** An entry as it is, of a request whose guard failed: ordinal (item), sequence (version), vals. */
  entry: 4,
  /** The removal of an absent entry: ordinal (item). */
  unchanged: 5,
  /** A region of the request is gone: request; ordinal of the write in a commit. */
  gone: 6,
  /** The last row: sequence and position of the latest commit. */
  latest: 7,
  /** An entry as of the commit that reads it: ordinal (item), sequence (version), vals. */
  read: 8,
} as const;

/** In the order of `LOG_COLUMNS`. */
const COLUMNS = [
  ['what', 'int'],
  ['sequence', 'bigint'],
  ['ordinal', 'bigint'],
  ['kind', 'int'],
  ['region', 'bigint'],
  ['name', 'text'],
  ['keys', 'text'],
  ['vals', 'text'],
  ['server', 'bigint'],
  ['batch', 'bigint'],
  ['request', 'bigint'],
  ['count_delta', 'bigint'],
  ['bytes_delta', 'bigint'],
  ['position', 'bigint'],
] as const;

type AnswerMembers = Partial<Record<(typeof COLUMNS)[number][0], string>>;

export const ANSWER_TABLE: string = COLUMNS.map(([name, type]) => `"${name}" ${type}`).join(', ');

/** The select list of a row of the answer: SQL by column, NULL for the rest. */
export function answerRow(what: keyof typeof ANSWER, members: AnswerMembers): string {
  const all: AnswerMembers = { ...members, what: String(ANSWER[what]) };
  return COLUMNS.map(([name, type]) => all[name] ?? `NULL::${type}`).join(', ');
}
