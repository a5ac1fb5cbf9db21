// Tracks a stall: the store answers, but commits do not get through. The usual reason is a synchronous
// standby that does not confirm: the commit that waits for it holds the commit lock, on this server
// or another. Writes are refused until a probe gets the lock, so that requests do not accumulate.

import { setTimeout as delay } from 'node:timers/promises';
import type { EngineError } from '../errors.ts';
import { isLockTimeout, isReadOnly } from './postgres-errors.ts';

/** Pause between two probes. */
const PROBE_MS = 250;
/** How long a failed commit is reported, unless one succeeds before. */
const FAILURE_SHOWN_MS = 5000;

const REPORTED: readonly EngineError['code'][] = ['engine/store-full', 'engine/store-inaccessible'];

/** Why commits after this failure would fail too; undefined where they may succeed. */
export function describeStall({ cause, code }: EngineError): string | undefined {
  if (isReadOnly(cause)) return 'it is read-only';
  const isStall = code === 'engine/outcome-unknown' || isLockTimeout(cause);
  return isStall ? 'commits do not get through' : undefined;
}

export class WriteStall {
  #refusal: EngineError | undefined;
  #lastFailure: { readonly atMs: number; readonly message: string } | undefined;
  #isStopped = false;

  /** The error with which writes are refused; undefined while there is no stall. */
  get refusal(): EngineError | undefined {
    return this.#refusal;
  }

  /** Why commits do not get through, for an operator. */
  get reason(): string | undefined {
    if (this.#refusal !== undefined) return this.#refusal.message;
    const { atMs = Number.NEGATIVE_INFINITY, message } = this.#lastFailure ?? {};
    return performance.now() - atMs < FAILURE_SHOWN_MS ? message : undefined;
  }

  /**
   * Keeps the message of a commit that failed because the disk is full or the role may not write.
   * Further commits are tried, because they may succeed.
   */
  noteFailure({ code, message }: EngineError): void {
    if (!REPORTED.includes(code)) return;
    this.#lastFailure = { atMs: performance.now(), message };
  }

  noteCommit(): void {
    this.#lastFailure = undefined;
  }

  /** Refuses writes until `probe` succeeds. */
  begin(refusal: EngineError, probe: () => Promise<unknown>): void {
    if (this.#refusal !== undefined) return;
    this.#refusal = refusal;
    void this.#end(probe);
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #end(probe: () => Promise<unknown>): Promise<void> {
    while (!this.#isStopped) {
      try {
        await probe();
        break;
      } catch {
        await delay(PROBE_MS, undefined, { ref: false });
      }
    }
    this.#refusal = undefined;
  }
}
