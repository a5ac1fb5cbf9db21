// Collects the pieces of a body in one buffer.

import { detachBuffer } from '../../value/detach-buffer.ts';

const FIRST_BYTES = 64 * 1024;

export class ReceivedBody {
  readonly #expectedBytes: number | undefined;
  #bytes: Buffer | undefined;
  #length = 0;

  /** Undefined when the request does not say how long its body is. */
  constructor(expectedBytes: number | undefined) {
    this.#expectedBytes = expectedBytes;
  }

  /** Takes ownership of the piece. */
  add(piece: Buffer): void {
    if (this.#bytes === undefined && piece.length === this.#expectedBytes) {
      this.#bytes = piece;
      this.#length = piece.length;
      return;
    }
    const bytes = this.#makeRoom(piece.length);
    piece.copy(bytes, this.#length);
    this.#length += piece.length;
    detachBuffer(piece);
  }

  /** The whole body; call it once, after the last piece. */
  take(): Buffer {
    return this.#bytes?.subarray(0, this.#length) ?? Buffer.alloc(0);
  }

  #makeRoom(pieceBytes: number): Buffer {
    const neededBytes = this.#length + pieceBytes;
    const old = this.#bytes;
    if (old !== undefined && neededBytes <= old.length) return old;
    const plannedBytes = this.#expectedBytes ?? Math.max(FIRST_BYTES, 2 * neededBytes);
    // Allocated outside Node's pool, so that it can be detached.
    const bytes = Buffer.allocUnsafeSlow(Math.max(neededBytes, plannedBytes));
    old?.copy(bytes, 0, 0, this.#length);
    if (old !== undefined) detachBuffer(old);
    this.#bytes = bytes;
    return bytes;
  }
}
