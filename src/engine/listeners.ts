// The listeners of an engine, which receive its commits.

import type { Commit, EngineListener } from './engine.ts';

export class Listeners {
  readonly #listeners = new Set<EngineListener>();

  /** Whether there are no listeners. */
  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Returns a function that ends the subscription. */
  add(listener: EngineListener): () => void {
    // Copied, so that one listener subscribed twice is two subscriptions.
    const entry = { ...listener };
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  notify(commit: Commit): void {
    for (const { onCommit } of this.#listeners) onCommit(commit);
  }

  notifyReset(sequence: number): void {
    for (const { onReset } of this.#listeners) onReset(sequence);
  }

  clear(): void {
    this.#listeners.clear();
  }
}
