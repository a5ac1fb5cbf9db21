// Translates the driver's errors into the port's.

import {
  EngineError,
  storeDamaged,
  storeFailed,
  storeFormatChanged,
  storeFull,
  storeInaccessible,
  storeUnreachable,
} from '../errors.ts';

/** The SQLSTATE of an error of PostgreSQL; empty for other errors. */
export function sqlState(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[0-9A-Z]{5}$/.test(code) ? code : '';
}

/** Raised by every commit function: a newer incarnation of this server is known. */
export function isFenced(error: unknown): boolean {
  return sqlState(error) === 'GK001';
}

/** The session may not write, as with `default_transaction_read_only`; nothing was done. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === '25006';
}

/** Waiting for a lock timed out; nothing was done. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}

/**
 * Raised by `commit_batch` and `commit_regions`: this server has not received the last alteration.
 */
export function isOutdated(error: unknown): boolean {
  return sqlState(error) === 'GK002';
}

/**
 * Whether the connection is unusable: it was cut, the server is stopping or starting, or it is a
 * standby that accepts no writes.
 */
export function isLost(error: unknown): boolean {
  if (error instanceof EngineError) return error.code === 'engine/unreachable';
  const state = sqlState(error);
  if (state === '') return true;
  return /^(?:08|57P|25006|25P03|F0)/.test(state);
}

/** Whether the connection was lost before the answer, so the outcome is unknown. */
export function isCut(error: unknown): boolean {
  return isLost(error) && !isReadOnly(error);
}

export function toEngineError(error: unknown, address: string): EngineError {
  if (error instanceof EngineError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  if (isLost(error)) return storeUnreachable(reason, error);
  const state = sqlState(error);
  if (state === '53100') return storeFull(address, error);
  // Too many connections, out of memory, lock time-outs, deadlocks: nothing was done.
  if (/^(?:53|55P03|57014|40)/.test(state)) return storeUnreachable(reason, error);
  // A table, column or function has another name: a newer server changed the format.
  if (/^(?:42P01|42703|42883)$/.test(state)) return storeFormatChanged(address, error);
  if (state === '42501') return storeInaccessible(address, reason, error);
  if (/^XX00[12]/.test(state)) return storeDamaged(address, reason, error);
  return storeFailed(address, error);
}

/**
 * Why the log cannot be read although the store is reachable, for example after a newer server
 * changed the format.
 */
export function whyUnreadable(failure: unknown, address: string): string | undefined {
  if (failure === undefined) return undefined;
  const { code, message } = toEngineError(failure, address);
  return code === 'engine/unreachable' ? undefined : message;
}
