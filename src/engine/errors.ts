// The errors of engines. Adapters translate their driver's errors into these; no driver error is
// visible above.

export type EngineErrorCode =
  | 'engine/region-gone'
  | 'engine/indexes-changed'
  | 'engine/value-too-large'
  | 'engine/read-too-large'
  | 'engine/bad-key'
  | 'engine/store-full'
  | 'engine/store-failed'
  | 'engine/store-damaged'
  | 'engine/store-inaccessible'
  | 'engine/store-locked'
  | 'engine/store-newer'
  | 'engine/store-not-empty'
  | 'engine/unreachable'
  | 'engine/outcome-unknown'
  | 'engine/aborted'
  | 'engine/closed';

export class EngineError extends Error {
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineError';
    this.code = code;
  }
}

/** Thrown when a write or read reaches a region that was destroyed after it was opened. */
export function regionGone(region: string): EngineError {
  return new EngineError('engine/region-gone', `Region (${region}) was destroyed`);
}

/** Thrown when a unique index was added or dropped while a write was prepared; nothing was written. */
export function indexesChanged(region: string): EngineError {
  return new EngineError(
    'engine/indexes-changed',
    `The unique indexes of region (${region}) changed during the write`,
  );
}

/** Thrown when a value is longer than any engine keeps; nothing of the write was done. */
export function valueTooLarge(key: string, bytes: number, maxBytes: number): EngineError {
  return new EngineError(
    'engine/value-too-large',
    `The value of key (${key}) has ${bytes} bytes; a store keeps values of up to ${maxBytes}`,
  );
}

/** Thrown when the values of a read by keys are together more than is held at once. */
export function readTooLarge(keys: number, maxBytes: number): EngineError {
  return new EngineError(
    'engine/read-too-large',
    `The values of these ${keys} keys are together longer than ${maxBytes} bytes`,
  );
}

/** Thrown when a key is empty or holds NUL; nothing of the write was done. */
export function badEntryKey(): EngineError {
  return new EngineError('engine/bad-key', 'A key must not be empty or hold the NUL character');
}

/** Thrown when the disk has no space for a commit; nothing of it was written. */
export function storeFull(file: string, cause: unknown): EngineError {
  return new EngineError('engine/store-full', `No space left to write ${file}`, { cause });
}

/**
 * Thrown when the disk refused a read or a write. After a failed commit the
 * store stays read-only until it is opened again, because it is unknown what reached the disk.
 */
export function storeFailed(file: string, cause: unknown): EngineError {
  return new EngineError('engine/store-failed', `Input/output failure on ${file}`, { cause });
}

/** Thrown when the file is not what this engine wrote; it is never served. */
export function storeDamaged(file: string, reason: string, cause?: unknown): EngineError {
  return new EngineError('engine/store-damaged', `${file} is damaged: ${reason}`, { cause });
}

/** Thrown when the system refuses access to a file of the store; the file itself may be sound. */
export function storeInaccessible(file: string, reason: string, cause?: unknown): EngineError {
  return new EngineError('engine/store-inaccessible', `${file} cannot be used: ${reason}`, {
    cause,
  });
}

/** Thrown when another process has the store open for writing. */
export function storeLocked(directory: string): EngineError {
  return new EngineError('engine/store-locked', `Another server is using ${directory}`);
}

/** Thrown when the file was written by a newer gridkeep. */
export function storeNewer(file: string, found: number, known: number): EngineError {
  return new EngineError(
    'engine/store-newer',
    `${file} has format ${found}; this gridkeep knows formats up to ${known}`,
  );
}

/** Thrown by a server that runs while a newer one changes the format of the store they share, or while it is removed. */
export function storeFormatChanged(location: string, cause: unknown): EngineError {
  return new EngineError(
    'engine/store-newer',
    `${location} was brought to a newer format or removed while this gridkeep ran; if it is newer, restart with the version that changed it`,
    { cause },
  );
}

/** Thrown when a copy is to become a store where one is already. */
export function storeNotEmpty(location: string): EngineError {
  return new EngineError('engine/store-not-empty', `${location} holds a store already`);
}

/** Thrown when the store cannot be reached; nothing was done, and the same request may be sent again. */
export function storeUnreachable(reason: string, cause?: unknown): EngineError {
  return new EngineError('engine/unreachable', `The store cannot be reached: ${reason}`, { cause });
}

/**
 * Thrown when the store was lost during a commit and could not be queried in time. The write was made
 * completely or not at all, and may still be made.
 */
export function outcomeUnknown(reason: string, cause?: unknown): EngineError {
  return new EngineError(
    'engine/outcome-unknown',
    `The store was lost during the write, which may or may not have been made: ${reason}`,
    { cause },
  );
}

/** Thrown by a read whose signal was aborted. */
export function readAborted(): EngineError {
  return new EngineError('engine/aborted', 'The read was aborted');
}

/** Thrown by every call to a closed engine. */
export function engineClosed(): EngineError {
  return new EngineError('engine/closed', 'The store is closed');
}

/** Thrown to a command when there is no store where one was named. */
export class MissingStoreError extends Error {
  constructor(location: string) {
    super(`There is no store at ${location}`);
    this.name = 'MissingStoreError';
  }
}
