// Keys of entries that come without one: 1, 2, 3 and so on, over all regions.

export class KeySequence {
  #last = 0;
  #step = 1;

  /** The next number; `isTaken` says that the last one given was in use already. */
  next(isTaken: boolean): string {
    // A service that starts again finds its old keys taken. Steps that double are through at once.
    this.#step = isTaken ? this.#step * 2 : 1;
    this.#last += this.#step;
    return String(this.#last);
  }
}
