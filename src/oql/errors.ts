// Every way a query can fail. A code is stable and belongs to one failure, a phrase of the
// specification's list (Spec 4.8); the message shows the position in the text with a caret.

import { printAmount } from '../value/print-amount.ts';
import { excerptAt, type Position, positionAt, type Span } from './syntax/position.ts';

/** The ten failures of Spec 4.8. */
export type OqlFailure =
  | 'invalid-syntax'
  | 'function-domain'
  | 'type-mismatch'
  | 'name-resolution'
  | 'parameter-count'
  | 'region-not-permitted'
  | 'timeout'
  | 'data-unavailable'
  | 'low-memory'
  | 'other';

export type OqlErrorCode =
  | 'oql/syntax-error'
  | 'oql/not-supported'
  | 'oql/text-too-long'
  | 'oql/nesting-too-deep'
  | 'oql/too-many-placeholders'
  | 'oql/too-many-parts'
  | 'oql/literal-invalid'
  | 'oql/type-not-found'
  | 'oql/aggregate-misplaced'
  | 'oql/grouping-invalid'
  | 'oql/like-pattern-invalid'
  | 'oql/region-not-found'
  | 'oql/name-ambiguous'
  | 'oql/name-unresolved'
  | 'oql/field-not-found'
  | 'oql/method-not-found'
  | 'oql/member-unknown'
  | 'oql/region-not-permitted'
  | 'oql/parameter-count'
  | 'oql/parameter-type'
  | 'oql/type-mismatch'
  | 'oql/function-domain'
  | 'oql/division-by-zero'
  | 'oql/method-failed'
  | 'oql/data-unavailable'
  | 'oql/values-not-comparable'
  | 'oql/index-out-of-range'
  | 'oql/date-invalid'
  | 'oql/row-count-invalid'
  | 'oql/method-not-permitted'
  | 'oql/result-not-collection'
  | 'oql/too-many-rows'
  | 'oql/cancelled'
  | 'oql/timeout'
  | 'oql/low-memory';

const FAILURES: Readonly<Record<OqlErrorCode, OqlFailure>> = {
  'oql/syntax-error': 'invalid-syntax',
  'oql/not-supported': 'invalid-syntax',
  'oql/text-too-long': 'invalid-syntax',
  'oql/nesting-too-deep': 'invalid-syntax',
  'oql/too-many-placeholders': 'invalid-syntax',
  'oql/too-many-parts': 'invalid-syntax',
  'oql/literal-invalid': 'invalid-syntax',
  'oql/type-not-found': 'invalid-syntax',
  'oql/aggregate-misplaced': 'invalid-syntax',
  'oql/grouping-invalid': 'invalid-syntax',
  'oql/like-pattern-invalid': 'invalid-syntax',
  'oql/region-not-found': 'name-resolution',
  'oql/name-ambiguous': 'name-resolution',
  // The language counts a name that no iterator owns as a type clash, not as a missing name.
  'oql/name-unresolved': 'type-mismatch',
  'oql/field-not-found': 'name-resolution',
  'oql/method-not-found': 'name-resolution',
  'oql/member-unknown': 'name-resolution',
  'oql/region-not-permitted': 'region-not-permitted',
  'oql/parameter-count': 'parameter-count',
  'oql/parameter-type': 'type-mismatch',
  'oql/type-mismatch': 'type-mismatch',
  'oql/function-domain': 'function-domain',
  'oql/division-by-zero': 'data-unavailable',
  'oql/method-failed': 'data-unavailable',
  'oql/data-unavailable': 'data-unavailable',
  'oql/values-not-comparable': 'other',
  'oql/index-out-of-range': 'other',
  'oql/date-invalid': 'other',
  'oql/row-count-invalid': 'other',
  'oql/method-not-permitted': 'other',
  'oql/result-not-collection': 'other',
  'oql/too-many-rows': 'other',
  'oql/cancelled': 'other',
  'oql/timeout': 'timeout',
  'oql/low-memory': 'low-memory',
};

/** A text and a span in it. */
export interface Location {
  readonly text: string;
  readonly span: Span;
}

/** The whole text, for failures that no single part of the query causes. */
export function wholeQuery(text: string): Location {
  return { text, span: { start: 0, end: text.length } };
}

interface OqlErrorOptions {
  /** The hint: the nearest valid name, or the right spelling. A full sentence. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** An entry of a region. */
export interface EntryName {
  readonly region: string;
  readonly key: string;
}

export class OqlError extends Error {
  readonly code: OqlErrorCode;
  readonly position: Position;
  readonly span: Span;
  readonly hint: string | undefined;
  #entry: EntryName | undefined;

  constructor(code: OqlErrorCode, reason: string, at: Location, options: OqlErrorOptions = {}) {
    const position = positionAt(at.text, at.span.start);
    const hint = options.hint && cut(options.hint);
    super(describe(cut(reason), at.text, position, hint), { cause: options.cause });
    this.name = 'OqlError';
    this.code = code;
    this.position = position;
    this.span = at.span;
    this.hint = hint;
  }

  get failure(): OqlFailure {
    return FAILURES[this.code];
  }

  /** The entry whose value made the query fail, if one did. */
  get entry(): EntryName | undefined {
    return this.#entry;
  }

  /** Sets the entry, unless it is already set. */
  blame(entry: EntryName): void {
    this.#entry ??= entry;
  }
}

const LONGEST_SENTENCE = 400;

/** Cuts out the middle of a sentence with a long name or number, as excerpts cut long lines. */
function cut(sentence: string): string {
  if (sentence.length <= LONGEST_SENTENCE) return sentence;
  const half = LONGEST_SENTENCE / 2;
  return `${sentence.slice(0, half)}…${sentence.slice(-half)}`;
}

function describe(
  reason: string,
  text: string,
  position: Position,
  hint: string | undefined,
): string {
  const where = `${reason} (line ${position.line}, column ${position.column})`;
  const excerpt = text.trim() === '' ? [] : [excerptAt(text, position)];
  return [where, ...excerpt, ...(hint === undefined ? [] : [hint])].join('\n');
}

/** Thrown when the text does not follow the grammar. */
export function syntaxError(at: Location, reason: string, hint?: string): OqlError {
  return new OqlError('oql/syntax-error', reason, at, { hint });
}

/** Thrown when the text uses a part of OQL that is not supported. */
export function notSupported(at: Location, what: string, hint?: string): OqlError {
  return new OqlError('oql/not-supported', `${what} is not supported`, at, { hint });
}

/** Thrown when the text is longer than the limit. */
export function textTooLong(at: Location, limit: number): OqlError {
  return new OqlError('oql/text-too-long', `The query text is longer than ${limit} characters`, at);
}

/** Thrown when parentheses, calls or subqueries nest beyond the limit. */
export function nestingTooDeep(at: Location, limit: number): OqlError {
  return new OqlError('oql/nesting-too-deep', `The query nests deeper than ${limit} levels`, at);
}

/** Thrown when a chain of operators or a path, with what is around it, is beyond the limit. */
export function chainTooLong(at: Location, limit: number): OqlError {
  const reason = `Operators in a chain, members in a path and the levels around them are more than ${limit}`;
  return new OqlError('oql/nesting-too-deep', reason, at);
}

/** Thrown when a placeholder number, or the number of placeholders, is beyond the limit. */
export function tooManyPlaceholders(at: Location, limit: number): OqlError {
  const reason = `A query can have at most ${limit} placeholders`;
  return new OqlError('oql/too-many-placeholders', reason, at);
}

/** Thrown when a text has more sources, projections or other parts than the limit. */
export function tooManyParts(at: Location, limit: number, part: string): OqlError {
  const reason = `A query and its subqueries can have at most ${printAmount(limit, part)}`;
  return new OqlError('oql/too-many-parts', reason, at);
}

/** Thrown when a text weighs more than the limit: it has too many words, signs and parts. */
export function textTooHeavy(at: Location, limit: number): OqlError {
  const reason = `A query and its subqueries can have at most ${limit} tokens; some parts count as several`;
  return new OqlError('oql/too-many-parts', reason, at);
}

/** Thrown when a literal is well formed but has no possible value: `DATE '2024-13-01'`. */
export function literalInvalid(at: Location, reason: string, hint?: string): OqlError {
  return new OqlError('oql/literal-invalid', reason, at, { hint });
}

/** Thrown when a cast names a type that is neither built in nor imported. */
export function typeNotFound(at: Location, name: string): OqlError {
  return new OqlError('oql/type-not-found', `Type not found: ${name}`, at, {
    hint: `Types other than the built-in ones are made known by IMPORT: IMPORT some.where.${name};`,
  });
}

/** Thrown when an aggregate is used without a group of rows, above all in WHERE. */
export function aggregateMisplaced(at: Location, reason: string, hint?: string): OqlError {
  return new OqlError('oql/aggregate-misplaced', reason, at, { hint });
}

/** The hint for a GROUP BY expression that is not projected. */
export const PROJECT_IT = 'Project it as well';

/** Thrown when projections, GROUP BY, HAVING and ORDER BY of a grouped select do not match. */
export function groupingInvalid(at: Location, reason: string, hint?: string): OqlError {
  return new OqlError('oql/grouping-invalid', reason, at, { hint });
}

/** Thrown when the right side of LIKE can never be a pattern. */
export function likePatternInvalid(at: Location, hint?: string): OqlError {
  const reason = 'The right side of LIKE must be a literal or a bind parameter, and not null';
  return new OqlError('oql/like-pattern-invalid', reason, at, { hint });
}

/** Thrown when finding a part of a pattern between two `%` could take too long. */
export function likePatternTooLong(at: Location, limit: number): OqlError {
  const reason = `A LIKE pattern that contains _ may have at most ${limit} characters between two %`;
  return new OqlError('oql/like-pattern-invalid', reason, at);
}

/** Thrown when the query names a region that does not exist. */
export function regionNotFound(at: Location, name: string, hint?: string): OqlError {
  return new OqlError('oql/region-not-found', `Region not found: /${name}`, at, { hint });
}

/** Thrown when several iterators of known type own an unqualified name. */
export function nameAmbiguous(at: Location, name: string, owners: readonly string[]): OqlError {
  const reason = `The name ${name} is ambiguous: it could belong to ${owners.slice(0, 4).join(' or ')}`;
  const hint = `Write it with the iterator it belongs to: ${owners[0]}.${name}`;
  return new OqlError('oql/name-ambiguous', reason, at, { hint });
}

/** Thrown when no iterator, or no single one, can own an unqualified name. */
export function nameUnresolved(at: Location, name: string, why: string, hint?: string): OqlError {
  const reason = `The name ${name} could not be resolved: ${why}`;
  return new OqlError('oql/name-unresolved', reason, at, { hint });
}

/** Thrown when a struct or an entry has no field of that name. */
export function fieldNotFound(
  at: Location,
  name: string,
  hint?: string,
  owner: 'struct' | 'entry' = 'struct',
): OqlError {
  const reason = `The ${owner} has no field ${name}`;
  return new OqlError('oql/field-not-found', reason, at, { hint });
}

/** Thrown when a value has no method of that name, or none that takes the arguments given. */
export function methodNotFound(at: Location, reason: string, hint?: string): OqlError {
  return new OqlError('oql/method-not-found', reason, at, { hint });
}

/** Thrown in strict queries, else a warning, when no document of a region has a member. */
export function unknownMember(
  at: Location,
  members: string,
  region: string,
  hint?: string,
): OqlError {
  const reason = `No document of /${region} has the member ${members}`;
  return new OqlError('oql/member-unknown', reason, at, { hint });
}

/** Thrown when a query reads an EMPTY region. */
export function regionNotPermitted(at: Location, name: string, type: string): OqlError {
  const reason = `A query is not permitted on region /${name} of type ${type}`;
  return new OqlError('oql/region-not-permitted', reason, at);
}

/** Thrown when there are more or fewer bind parameters than placeholders. */
export function parameterCount(at: Location, reason: string): OqlError {
  return new OqlError('oql/parameter-count', reason, at);
}

/** Thrown when a bind parameter has an unknown type, or a value that is not of its type. */
export function parameterType(at: Location, reason: string, hint?: string): OqlError {
  return new OqlError('oql/parameter-type', reason, at, { hint });
}

/** Thrown when an operand has a type that the operator does not accept. */
export function typeMismatch(at: Location, reason: string, hint?: string): OqlError {
  return new OqlError('oql/type-mismatch', reason, at, { hint });
}

/** Thrown when a function has the wrong number of arguments, or a value out of its domain. */
export function functionDomain(at: Location, reason: string): OqlError {
  return new OqlError('oql/function-domain', reason, at);
}

/** Thrown when an integer is divided by zero. */
export function divisionByZero(at: Location): OqlError {
  return new OqlError('oql/division-by-zero', 'Division of an integer by zero', at);
}

/** Thrown when a method fails for its arguments. */
export function methodFailed(at: Location, name: string, reason: string): OqlError {
  return new OqlError('oql/method-failed', `The method ${name} failed: ${reason}`, at);
}

/** Thrown when the data of a region cannot be read while the query runs. */
export function dataUnavailable(at: Location, reason: string, cause?: unknown): OqlError {
  return new OqlError('oql/data-unavailable', reason, at, { cause });
}

/** Thrown when ORDER BY or an aggregate meets values that have no common order or sum. */
export function valuesNotComparable(at: Location, reason: string): OqlError {
  return new OqlError('oql/values-not-comparable', reason, at);
}

/** Thrown when a list or string has no element at an index. */
export function indexOutOfRange(at: Location, index: number, size: number): OqlError {
  const there = size === 1 ? 'there is' : 'there are';
  const reason = `The index ${index} is out of range: ${there} ${printAmount(size, 'element')}`;
  return new OqlError('oql/index-out-of-range', reason, at);
}

/** Thrown when TO_DATE cannot read its text. */
export function dateInvalid(at: Location, reason: string): OqlError {
  return new OqlError('oql/date-invalid', reason, at);
}

/** Thrown when the bind parameter of LIMIT or OFFSET is not an integer. */
export function rowCountInvalid(at: Location, reason: string): OqlError {
  return new OqlError('oql/row-count-invalid', reason, at);
}

/** Thrown when a query calls a method that is never callable, such as one that changes a region. */
export function methodNotPermitted(at: Location, name: string): OqlError {
  const reason = `The method ${name} may not be called in a query`;
  return new OqlError('oql/method-not-permitted', reason, at);
}

/** Thrown when the whole query is an expression and its value is not a collection. */
export function resultNotCollection(text: string): OqlError {
  const reason = 'The result is a single value, and only collections can be returned';
  return new OqlError('oql/result-not-collection', reason, wholeQuery(text));
}

/** Thrown when sorting, grouping, DISTINCT or a join would keep more rows than allowed. */
export function tooManyRows(at: Location, limit: number): OqlError {
  const reason = `The query has to keep more than ${printAmount(limit, 'row')} in memory`;
  return new OqlError('oql/too-many-rows', reason, at);
}

/** Thrown when a running query is cancelled by an operator or because its client disconnected. */
export function queryCancelled(text: string): OqlError {
  return new OqlError('oql/cancelled', 'The query was cancelled', wholeQuery(text));
}

/** Thrown when a query exceeds its time limit. */
export function queryTimeout(text: string, limitMs: number): OqlError {
  const reason = `The query ran longer than the maximum execution time of ${limitMs} ms`;
  return new OqlError('oql/timeout', reason, wholeQuery(text));
}

/** Thrown when memory use is above the critical heap percentage. */
export function lowMemory(text: string): OqlError {
  return new OqlError(
    'oql/low-memory',
    'The query was cancelled under low memory',
    wholeQuery(text),
  );
}
