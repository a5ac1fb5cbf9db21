// The findings of a check: the text of the first ones, and the number of all.

import type { ProblemList } from '../store-report.ts';

export class Problems implements ProblemList {
  readonly #max: number;
  readonly #shown: string[] = [];
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#count;
  }

  get shown(): readonly string[] {
    return this.#shown;
  }

  add(text: string): void {
    this.#count += 1;
    if (this.#shown.length < this.#max) this.#shown.push(text);
  }
}
