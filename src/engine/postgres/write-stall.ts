// Tracks a stall: the store answers, but commits do not get through. The usual reason is a synchronous
// standby that does not confirm: the commit that waits for it holds the commit lock, on this server
// or another. Writes are refused until a probe gets the lock, so that requests do not accumulate.

import { setTimeout as delay } from 'node:timers/promises';
import type { EngineError } from '../errors.ts';

/** Pause between two probes. */
const PROBE_MS = 250;
/** How long a full disk is reported, unless a commit succeeds before. */
const FULL_SHOWN_MS = 5000;

export class WriteStall {
  #refusal: EngineError | undefined;
  #full: { readonly atMs: number; readonly message: string } | undefined;
  #isStopped = false;

  /** The error with which writes are refused; undefined while there is no stall. */
  get refusal(): EngineError | undefined {
    return this.#refusal;
  }

  /** Why commits do not get through, for an operator. */
  get reason(): string | undefined {
    if (this.#refusal !== undefined) return this.#refusal.message;
    const isFull = this.#full !== undefined && performance.now() - this.#full.atMs < FULL_SHOWN_MS;
    return isFull ? this.#full?.message : undefined;
  }

  /** The disk was full for a commit. The next one is tried, because it may fit. */
  noteFull(message: string): void {
    this.#full = { atMs: performance.now(), message };
  }

  noteCommit(): void {
    this.#full = undefined;
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
