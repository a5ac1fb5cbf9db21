// Assertions about the errors of an engine.

import assert from 'node:assert/strict';
import { EngineError, type EngineErrorCode } from '../../errors.ts';

export async function rejectsWith(promise: Promise<unknown>, code: EngineErrorCode): Promise<void> {
  await assert.rejects(promise, hasCode(code));
}

export function hasCode(code: EngineErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof EngineError && error.code === code;
}
