// Memory that a run uses until its end, and frees then.

import { detachBuffer } from '../../../value/detach-buffer.ts';

export class Scratch {
  readonly #owned: ArrayBufferView[] = [];

  /** Returns the array, which must not be used after the run. */
  own<Numbers extends ArrayBufferView>(array: Numbers): Numbers {
    this.#owned.push(array);
    return array;
  }

  free(): void {
    for (const array of this.#owned) detachBuffer(array);
  }
}
