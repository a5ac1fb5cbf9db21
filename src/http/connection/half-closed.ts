// A client that closes its half of a connection may still read the answer (`printf … | nc` does),
// or be gone: TCP looks the same for both. A client that is gone answers the next bytes with a
// reset. So a client whose answer takes long is sent `100 Continue`, which every HTTP/1.1 client
// must be able to skip. A reset closes the connection, and that cancels the work.

import type { Socket } from 'node:net';

/** Most answers are ready before this time. */
const PROBE_AFTER_MS = 250;
/** Time for a reset to arrive. */
const RESET_WAIT_MS = 1_000;

/** `probe` writes, if there is no answer by then. */
export function probeHalfClosed(socket: Socket, probe: () => void): void {
  setTimeout(() => {
    probe();
    setTimeout(() => {
      // Nothing is read from the socket any more, so only a write detects a reset.
      if (socket.writable) socket.write('');
    }, RESET_WAIT_MS).unref();
  }, PROBE_AFTER_MS).unref();
}
