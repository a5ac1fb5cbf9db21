// Frees the memory of a buffer as soon as it is no longer used. The garbage collector does not know
// the limit of a container: it lets some sixty mebibytes of unused buffers accumulate first, and
// then stops the event loop for milliseconds.

/** Smaller ones are not worth the call. */
const LARGE_BYTES = 8 * 1024;

/** The buffer is empty afterwards; one that shares its memory with others is left as it is. */
export function detachBuffer({ buffer, byteLength }: ArrayBufferView): void {
  if (byteLength < LARGE_BYTES || byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
