// A stall: the store answers, but commits do not get through. A synchronous standby that does not
// confirm is the usual reason: the commit that waits for it holds the commit lock, on this server or
// another. Writes are refused at once until a probe gets the lock, so that requests do not pile up.

import { setTimeout as delay } from 'node:timers/promises';
import type { EngineError } from '../errors.ts';

/** Between two probes. */
const PROBE_MS = 250;
/** A commit that had no room shows for so long, or until one had. */
const FULL_SHOWN_MS = 5000;

export class WriteStall {
  #refusal: EngineError | undefined;
  #full: { readonly atMs: number; readonly message: string } | undefined;
  #isStopped = false;

  /** What writes are refused with; undefined while there is no stall. */
  get refusal(): EngineError | undefined {
    return this.#refusal;
  }

  /** Why commits do not get through, for an operator. */
  get reason(): string | undefined {
    if (this.#refusal !== undefined) return this.#refusal.message;
    const isFull = this.#full !== undefined && performance.now() - this.#full.atMs < FULL_SHOWN_MS;
    return isFull ? this.#full?.message : undefined;
  }

  /** The store had no room for a commit. The next one is tried: it may fit. */
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
