// The views readers share. There is always a current one, at the last commit
// that was answered: reads see exactly what has been acknowledged and told to
// listeners, and a snapshot is a share in the current view, which costs nothing.
// When a commit comes in, a view in use is left to its users and another takes
// its place.

import type { EngineError } from '../errors.ts';
import { ReadView } from './read-view.ts';
import { toEngineError } from './sqlite-errors.ts';

const MAX_IDLE = 8;

export class ReadViews {
  readonly #file: string;
  readonly #all: Set<ReadView> = new Set();
  readonly #idle: ReadView[] = [];
  #current: ReadView;
  #failure: EngineError | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#current = this.#take();
  }

  get current(): ReadView {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#current;
  }

  /**
   * Moves the current view to the latest commit. To be called while the writer
   * has nothing to do, so that this is exactly the last answered commit.
   */
  advance(): void {
    try {
      if (this.#current.users === 0) this.#current.pin();
      else this.#current = this.#take();
    } catch (error) {
      // Reads would show the past as the present; they fail instead.
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
    if (this.#idle.length < MAX_IDLE) {
      view.unpin();
      this.#idle.push(view);
    } else {
      this.#all.delete(view);
      view.close();
    }
  }

  forget(regionId: number): void {
    for (const view of this.#all) if (view.users === 0) view.forget(regionId);
  }

  close(): void {
    for (const view of this.#all) view.close();
    this.#all.clear();
    this.#idle.length = 0;
  }

  #take(): ReadView {
    const view = this.#idle.pop() ?? new ReadView(this.#file);
    this.#all.add(view);
    view.pin();
    return view;
  }
}
