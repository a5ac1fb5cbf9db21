// Generates keys for entries without one: 1, 2, 3 and so on, over all regions.

export class KeySequence {
  #last = 0;
  #step = 1;

  /** The next number; `isTaken` says that the previous one was in use. */
  next(isTaken: boolean): string {
    // After a restart the first numbers are taken. Doubling steps skip them quickly.
    this.#step = isTaken ? this.#step * 2 : 1;
    this.#last += this.#step;
    return String(this.#last);
  }
}
