// The errors of the use cases. Each has a stable code and names the things concerned in its
// details; http decides what a client sees.

import { printDuration } from '../value/duration.ts';
import { nearestName } from '../value/nearest-name.ts';

export type GridErrorCode =
  | 'grid/region-not-found'
  | 'grid/region-forbidden'
  | 'grid/no-regions'
  | 'grid/region-exists'
  | 'grid/bad-region'
  | 'grid/bad-key'
  | 'grid/bad-value'
  | 'grid/value-too-large'
  | 'grid/count-failed'
  | 'grid/keys-missing'
  | 'grid/keys-not-found'
  | 'grid/keys-exist'
  | 'grid/key-exists'
  | 'grid/value-differs'
  | 'grid/patch-failed'
  | 'grid/precondition-failed'
  | 'grid/condition-failed'
  | 'grid/not-unique'
  | 'grid/operation-not-supported'
  | 'grid/query-not-found'
  | 'grid/query-exists'
  | 'grid/bad-query-id'
  | 'grid/index-exists'
  | 'grid/index-not-found'
  | 'grid/bad-index'
  | 'grid/too-many-queries'
  | 'grid/running-query-not-found'
  | 'grid/changes-gone'
  | 'grid/too-many-live-queries'
  | 'grid/live-query-too-large'
  | 'grid/live-query-too-slow'
  | 'grid/bad-ttl'
  | 'grid/no-history'
  | 'grid/history-gone'
  | 'grid/moment-ahead'
  | 'grid/version-not-found';

export interface GridErrorDetails {
  /** The most similar valid name, or how to fix the error. */
  readonly hint?: string;
  /** JSON that the answer shows instead of the error: the conflicting value. */
  readonly current?: string;
  /** The keys concerned, where the message lists them. */
  readonly keys?: readonly string[];
  /** The range of sequences after which the change log can be read. */
  readonly range?: { readonly oldest: number; readonly latest: number };
  /** The entry that has a value of a unique index, and the one that was refused. */
  readonly unique?: SameValue;
  /** The part of a transaction, or the item of a list, that failed. */
  readonly failed?:
    | FailedCondition
    | FailedElement
    | { readonly index: number; readonly key?: string | undefined };
}

export interface SameValue {
  readonly region: string;
  /** The unique index. */
  readonly index: string;
  readonly key: string;
  /** The key of the entry that has the value; absent for clients that may not read it. */
  readonly holder?: string;
  /** The value as JSON; a list for several expressions. Absent for clients that may not read it. */
  readonly value?: string;
}

/** A condition (`if`) or an operation (`do`) of a transaction, by its index in the list. */
export interface FailedElement {
  readonly in: 'if' | 'do';
  readonly index: number;
}

export interface FailedCondition extends FailedElement {
  /** The required state of the entry. */
  readonly kind: 'version' | 'present' | 'absent' | 'unique';
  readonly region: string;
  readonly key: string;
}

export class GridError extends Error {
  readonly code: GridErrorCode;
  readonly details: GridErrorDetails;

  constructor(code: GridErrorCode, message: string, details: GridErrorDetails = {}) {
    super(message);
    this.name = 'GridError';
    this.code = code;
    this.details = details;
  }
}

/** Thrown when a request names a region that does not exist. */
export function regionNotFound(region: string, known: Iterable<string>): GridError {
  return new GridError(
    'grid/region-not-found',
    `Region (${region}) does not exist`,
    hintFor(region, known),
  );
}

/** Thrown when a query reads a region that the login may not read, existing or not. */
export function regionForbidden(region: string): GridError {
  return new GridError('grid/region-forbidden', `Permission DATA:READ:${region} is needed`);
}

/** Thrown when regions are listed and there are none (spec 4.1). */
export function noRegions(): GridError {
  return new GridError('grid/no-regions', 'No regions found');
}

/** Thrown when a region is created under a name that is taken. */
export function regionExists(region: string): GridError {
  return new GridError('grid/region-exists', `Region (${region}) already exists`);
}

/** Thrown when a region's name, type or constraint is not legal. */
export function badRegion(reason: string): GridError {
  return new GridError('grid/bad-region', reason);
}

/** Thrown when a key is too long, holds NUL, or breaks the region's key constraint. */
export function badKey(reason: string): GridError {
  return new GridError('grid/bad-key', reason);
}

/** Thrown when a value is not of the kind the operation or the region takes. */
export function badValue(reason: string): GridError {
  return new GridError('grid/bad-value', reason);
}

/** Thrown when a value, or the text of a named query, is longer than `limits.value-bytes`. */
export function valueTooLarge(what: string, bytes: number, maxBytes: number): GridError {
  return new GridError(
    'grid/value-too-large',
    `The value of ${what} has ${bytes} bytes, more than the ${maxBytes} of limits.value-bytes`,
  );
}

/** Thrown when the store fails to count a region (spec 4.3). */
export function countFailed(region: string, reason: string): GridError {
  return new GridError(
    'grid/count-failed',
    `The entries of region (${region}) could not be counted: ${reason}`,
  );
}

/** Thrown when keys that must exist do not (spec 4.5, 4.6). */
export function keysMissing(region: string, keys: readonly string[]): GridError {
  return new GridError(
    'grid/keys-missing',
    `Requested keys (${keys.join(',')}) do not exist in region (${region})`,
    { keys },
  );
}

/** Thrown when a delete or a compare-and-set names keys that do not exist. */
export function keysNotFound(region: string, keys: readonly string[]): GridError {
  return new GridError(
    'grid/keys-not-found',
    `Keys (${keys.join(',')}) do not exist in region (${region})`,
    { keys },
  );
}

/** Thrown when `op=CREATE` names keys that exist. */
export function keysExist(region: string, keys: readonly string[]): GridError {
  return new GridError(
    'grid/keys-exist',
    `Keys (${keys.join(',')}) already exist in region (${region})`,
  );
}

/** Thrown when POST creates a key that exists; the answer shows the existing value. */
export function keyExists(region: string, key: string, current: string): GridError {
  return new GridError('grid/key-exists', `Key (${key}) already exists in region (${region})`, {
    current,
  });
}

/** Thrown when a compare-and-set finds another value; the answer shows it. */
export function valueDiffers(region: string, key: string, current: string): GridError {
  return new GridError(
    'grid/value-differs',
    `The value of key (${key}) in region (${region}) is not the one given as @old`,
    { current },
  );
}

/** Thrown when a patch cannot be applied to the stored value. */
export function patchFailed(region: string, key: string, reason: string): GridError {
  return new GridError(
    'grid/patch-failed',
    `The patch cannot be applied to key (${key}) in region (${region}): ${reason}`,
  );
}

/** Thrown when `If-Match` or `If-None-Match` does not hold at the moment of the write. */
export function preconditionFailed(region: string, key: string): GridError {
  return new GridError(
    'grid/precondition-failed',
    `The precondition on key (${key}) in region (${region}) does not hold`,
  );
}

/** Thrown when a condition of a transaction, or a requirement of an operation, does not hold. */
export function conditionFailed(failed: FailedCondition): GridError {
  const { in: list, index, key, kind, region } = failed;
  const needed = kind === 'version' ? 'have the version given' : `be ${kind}`;
  return new GridError(
    'grid/condition-failed',
    `Nothing was written: ${list}[${index}] needs key (${key}) of region (${region}) to ${needed}`,
    { failed },
  );
}

/**
 * Thrown when another request with the same idempotency key was committed first. The caller then
 * returns the stored answer, so clients never see this error.
 */
export class AnswerStoredError extends Error {}

/** Thrown when an operation needs stored entries and the region is EMPTY. */
export function operationNotSupported(operation: string, region: string): GridError {
  return new GridError(
    'grid/operation-not-supported',
    `Operation not supported: ${operation} on region (${region}) of type EMPTY`,
  );
}

/** Thrown when a request names a query id that is not registered. */
export function queryNotFound(id: string, known: Iterable<string>): GridError {
  return new GridError(
    'grid/query-not-found',
    `Named query (${id}) does not exist`,
    hintFor(id, known),
  );
}

/** Thrown when a query is created under an id that is taken; the answer shows the existing one. */
export function queryExists(id: string, current: string): GridError {
  return new GridError('grid/query-exists', `Named query (${id}) already exists`, { current });
}

/** Thrown when a query id is reserved, too long or empty. */
export function badQueryId(reason: string): GridError {
  return new GridError('grid/bad-query-id', reason);
}

/** Thrown when an index is created under a name, or with a definition, that is taken. */
export function indexExists(reason: string): GridError {
  return new GridError('grid/index-exists', reason);
}

/** Thrown when a request names an index that does not exist. */
export function indexNotFound(region: string, index: string, known: Iterable<string>): GridError {
  return new GridError(
    'grid/index-not-found',
    `Index (${index}) does not exist in region (${region})`,
    hintFor(index, known),
  );
}

/** Thrown when an index definition cannot be used. */
export function badIndex(reason: string): GridError {
  return new GridError('grid/bad-index', reason);
}

/** Thrown when the maximum number of queries is running. */
export function tooManyQueries(reason: string): GridError {
  return new GridError('grid/too-many-queries', `Too many queries at once: ${reason}`);
}

/** Thrown when a query to be cancelled is not running (any more). */
export function runningQueryNotFound(id: string): GridError {
  return new GridError('grid/running-query-not-found', `No query with id ${id} is running`);
}

/** Thrown when the maximum number of live queries is open, or their memory limit is reached. */
export function tooManyLiveQueries(reason: string): GridError {
  return new GridError('grid/too-many-live-queries', `Too many live queries: ${reason}`);
}

/** Thrown when the result of a live query exceeds its limit. */
export function liveQueryTooLarge(most: string): GridError {
  return new GridError(
    'grid/live-query-too-large',
    `The result of the live query has more than ${most}`,
    { hint: 'narrow it with WHERE, or count with GROUP BY' },
  );
}

/** Thrown when a run of a live query exceeds its time limit. */
export function liveQueryTooSlow(mostMs: number): GridError {
  return new GridError(
    'grid/live-query-too-slow',
    `A run of the live query took longer than the ${mostMs} ms of live.max-run-ms`,
  );
}

/** Thrown when a time to live exceeds the maximum of the region. */
export function badTtl(region: string, maxMs: number): GridError {
  return new GridError(
    'grid/bad-ttl',
    `Entries of region (${region}) live ${printDuration(maxMs)} at most`,
  );
}

/** Thrown when an earlier state of a region without history is requested. */
export function noHistory(region: string): GridError {
  return new GridError('grid/no-history', `Region (${region}) keeps no history`);
}

/** Thrown when old values are requested of a feed and none of its regions keeps history. */
export function noOldValues(region: string): GridError {
  return new GridError(
    'grid/no-history',
    `Region (${region}) keeps no history, and no old values for include=old`,
    { hint: 'give the region a history, or follow it without include=old' },
  );
}

/** Thrown when a moment is older than the history of a region. */
export function historyGone(region: string, oldest: number, latest: number): GridError {
  return new GridError(
    'grid/history-gone',
    `Region (${region}) keeps its past from commit ${oldest} on`,
    { range: { oldest, latest } },
  );
}

/** Thrown when a requested moment is in the future. */
export function momentAhead(latest: number): GridError {
  return new GridError(
    'grid/moment-ahead',
    `That moment is in the future: ${latest} is the latest commit`,
  );
}

/** Thrown when a version to restore is not kept, or is a removal. */
export function versionNotFound(region: string, key: string, version: number): GridError {
  return new GridError(
    'grid/version-not-found',
    `Region (${region}) keeps no value of key (${key}) of version ${version}`,
  );
}

/** Thrown when the changes after a sequence were trimmed, or the store has not reached it. */
export function changesGone(
  since: number | string,
  range: { readonly oldest: number; readonly latest: number },
): GridError {
  const { latest, oldest } = range;
  return new GridError(
    'grid/changes-gone',
    `Changes since ${since} are not kept; the log can be read from ${oldest} to ${latest}`,
    {
      range: { oldest, latest },
      hint: 'read the regions again, then follow the changes since the value of latest',
    },
  );
}

function hintFor(name: string, known: Iterable<string>): GridErrorDetails {
  const near = nearestName(name, known);
  return near === undefined ? {} : { hint: `did you mean ${near}?` };
}
