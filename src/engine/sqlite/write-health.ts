// Whether the store can be written, according to the writer's answers. A failed writer stays failed
// until the store is opened again, but a full disk may get free space. Clients may send no writes to
// a service that refuses them, so a probe writes instead.

import type { BatchAnswer, FailureNotice } from './store-request.ts';

const PROBE_EVERY_MS = 2_000;

export class WriteHealth {
  readonly #probe: () => unknown;
  #failure: string | undefined;
  #full: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `probe` tries a small write; its answer comes back through `takeAnswer`. */
  constructor(probe: () => unknown) {
    this.#probe = probe;
  }

  /** Why nothing can be written; undefined when it can. */
  get reason(): string | undefined {
    return this.#failure ?? this.#full;
  }

  /** The writer has stopped: nothing is written until the store is opened again. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  takeAnswer(answer: BatchAnswer): void {
    this.takeFailure(answer);
    for (const reply of answer.replies) {
      if (reply.kind === 'failed') {
        if (reply.error.code === 'engine/store-full') this.#full = reply.error.message;
      } else if (reply.sequence !== undefined || reply.outcome === 'probed') {
        this.#full = undefined;
      }
    }
    if (this.#full === undefined || this.hasFailed) this.close();
    else this.#probeLater();
  }

  takeFailure({ failure }: FailureNotice): void {
    if (failure === undefined) return;
    const { message, reason } = failure;
    this.#failure ??= reason === undefined ? message : `${message}: ${reason}`;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #probeLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#probe();
    }, PROBE_EVERY_MS).unref();
  }
}
