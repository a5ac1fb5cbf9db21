// Memory of buffers, given back as soon as nobody looks at it any more. The
// collector does not know what a container allows: it lets some sixty mebibytes
// of dead buffers lie before it looks at them.

/** Smaller ones are not worth the call. */
const LARGE_BYTES = 8 * 1024;

/** The buffer is empty afterwards; one that shares its memory with others is left as it is. */
export function detachBuffer(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (bytes.length < LARGE_BYTES || bytes.length !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
