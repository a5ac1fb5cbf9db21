// Translates SQLite's errors into the port's; no driver error leaves this folder.

import { dirname } from 'node:path';
import {
  EngineError,
  type EngineErrorCode,
  storeDamaged,
  storeFailed,
  storeFull,
  storeInaccessible,
} from '../errors.ts';
import { isQuotaError, isQuotaUsedUp } from './free-space.ts';
import { explainErrno, explainOpening } from './prepare-files.ts';

/** A statement cannot be prepared. Our statements are constant, so the tables are not ours. */
const NO_SUCH_THING = 1;
const PERMISSION = 3;
const READ_ONLY = 8;
const CANNOT_OPEN = 14;
const IO_FAILURE = 10;
/** A failed read, a short read, and a read that the file system reports as damaged. */
const IO_READS: readonly number[] = [266, 522, 8458];
/** A failed write. */
const IO_WRITE = 778;
const CORRUPT = 11;
const FULL = 13;
/** A row with this key exists. No number or key is inserted twice, so the row is damage. */
const CONSTRAINT = 19;
const NOT_A_DATABASE = 26;
/** The shared-memory file could not grow, which means a full disk. */
const IO_SHARED_MEMORY_SIZE = 4874;
export const BUSY = 5;

/** An error as a message between threads, where classes are lost. */
export interface ErrorMessage {
  readonly code: EngineErrorCode;
  readonly message: string;
  /** The system's message; absent where ours is complete. */
  readonly reason?: string;
}

export function toEngineError(error: unknown, file: string): EngineError {
  if (error instanceof EngineError) return error;
  switch (primaryCode(error)) {
    case NO_SUCH_THING:
    case CORRUPT:
    case CONSTRAINT:
    case NOT_A_DATABASE:
      return storeDamaged(file, reasonOf(error), error);
    case PERMISSION:
    case READ_ONLY:
    case CANNOT_OPEN:
      return storeInaccessible(file, explainOpening(file) ?? reasonOf(error), error);
    default:
      if (isFull(error)) return storeFull(file, error);
      // SQLite distinguishes a full disk from other failures, but not a quota.
      if (extendedCode(error) === IO_WRITE && isQuotaUsedUp(dirname(file))) {
        return storeFull(file, error);
      }
      if (explainErrno(error) !== undefined) {
        return storeInaccessible(file, explainErrno(error) ?? '', error);
      }
      return isTooLarge(error)
        ? storeDamaged(file, 'it contains a number that is too large', error)
        : storeFailed(file, error);
  }
}

export function primaryCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  return code === undefined ? undefined : code & 0xff;
}

export function toErrorMessage(error: EngineError): ErrorMessage {
  const { cause, code, message } = error;
  return cause === undefined ? { code, message } : { code, message, reason: reasonOf(cause) };
}

export function fromErrorMessage({ code, message, reason }: ErrorMessage): EngineError {
  return new EngineError(code, message, reason === undefined ? {} : { cause: new Error(reason) });
}

/**
 * Whether a read may succeed when it is repeated. SQLite reports a page that it cannot read as
 * malformed too, so only a second read distinguishes a transient failure from damage. Our own
 * checksum errors are not transient: the bytes were read.
 */
export function mayBeTransient(error: unknown): boolean {
  const code = primaryCode(error);
  return (code === IO_FAILURE || code === CORRUPT) && !isFull(error);
}

/** Whether a page could not be read; such an error says nothing about writes. */
export function isReadFailure(error: unknown): boolean {
  const code = extendedCode(error);
  return code !== undefined && (IO_READS.includes(code) || primaryCode(error) === CORRUPT);
}

export function isFull(error: unknown): boolean {
  if (primaryCode(error) === FULL || extendedCode(error) === IO_SHARED_MEMORY_SIZE) return true;
  if (isQuotaError(error)) return true;
  return error instanceof Error && 'code' in error && error.code === 'ENOSPC';
}

/** The driver read an integer beyond the safe integers of JavaScript. */
function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
}

function extendedCode(error: unknown): number | undefined {
  const hasCode = error instanceof Error && 'errcode' in error;
  return hasCode && typeof error.errcode === 'number' ? error.errcode : undefined;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
