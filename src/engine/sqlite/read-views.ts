// The views that readers share. There is always a current one, at the last answered commit: reads
// see exactly the commits that clients and listeners have received. A snapshot counts as a user of
// the current view, which costs nothing. After a commit a view in use stays with its users, and
// another one becomes the current view.
//
// A view that cannot be moved is replaced by a new connection. If that fails too, reads fail, and
// each of them tries again: the failure may be transient, such as too many open files.

import type { EngineError } from '../errors.ts';
import { ReadView } from './read-view.ts';
import { toEngineError } from './sqlite-errors.ts';

const MAX_IDLE = 8;

export class ReadViews {
  readonly #file: string;
  readonly #isWriterIdle: () => boolean;
  readonly #all: Set<ReadView> = new Set();
  readonly #idle: ReadView[] = [];
  #current: ReadView;
  #failure: EngineError | undefined;

  /** Creates views only while the writer is idle, so that they show the last answered commit. */
  constructor(file: string, isWriterIdle: () => boolean) {
    this.#file = file;
    this.#isWriterIdle = isWriterIdle;
    this.#current = this.#take();
  }

  /** Throws while no view can be opened. */
  get current(): ReadView {
    if (this.#failure !== undefined) this.renew();
    if (this.#failure !== undefined) throw this.#failure;
    return this.#current;
  }

  /** Why nothing can be read. Tries again before it reports a failure. */
  findFailure(): EngineError | undefined {
    if (this.#failure !== undefined) this.renew();
    return this.#failure;
  }

  /**
   * Moves the current view to the latest commit. Call it before the writer may commit again, so that
   * this is exactly the last answered commit.
   */
  advance(): void {
    try {
      if (this.#failure !== undefined) this.#replace();
      else if (this.#current.users === 0) this.#current.pin();
      else this.#current = this.#take();
    } catch {
      // The next batch may be on its way, but it is committed only after this.
      this.#renewNow();
    }
  }

  /**
   * Replaces the current view by a new connection at the same commit. Does nothing while the writer
   * is busy: its answer moves the view anyway.
   */
  renew(): void {
    if (this.#isWriterIdle()) this.#renewNow();
  }

  #renewNow(): void {
    try {
      this.#replace();
    } catch (error) {
      // The old view would show outdated entries, so reads fail instead.
      this.#failure = toEngineError(error, this.#file);
    }
  }

  acquire(): ReadView {
    const view = this.current;
    view.users += 1;
    return view;
  }

  release(view: ReadView): void {
    view.users -= 1;
    if (view.users > 0 || view === this.#current || !this.#all.has(view)) return;
    if (this.#idle.length < MAX_IDLE && !view.isSuspect) {
      view.unpin();
      this.#idle.push(view);
    } else this.#discard(view);
  }

  forget(regionId: number): void {
    for (const view of this.#all) if (view.users === 0) view.forget(regionId);
  }

  close(): void {
    for (const view of this.#all) view.close();
    this.#all.clear();
    this.#idle.length = 0;
  }

  #replace(): void {
    const before = this.#current;
    before.isSuspect = true;
    // Idle connections may have the same failure.
    for (const view of this.#idle.splice(0)) this.#discard(view);
    this.#current = this.#take();
    this.#failure = undefined;
    if (before.users === 0) this.#discard(before);
  }

  #take(): ReadView {
    const view = this.#idle.pop() ?? new ReadView(this.#file);
    this.#all.add(view);
    try {
      view.pin();
      return view;
    } catch (error) {
      this.#discard(view);
      throw error;
    }
  }

  #discard(view: ReadView): void {
    this.#all.delete(view);
    view.close();
  }
}
