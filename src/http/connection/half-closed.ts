// A client that closes its half of a connection may still read the answer (`printf … | nc` does),
// or be gone: TCP looks the same for both. A client that is gone answers the next bytes with a
// reset. So a client whose answer takes long is sent `100 Continue`, which every HTTP/1.1 client
// must be able to skip. A reset closes the connection, and that cancels the work.

import type { Socket } from 'node:net';

/** Most answers are ready before this. */
const ASK_AFTER_MS = 250;
/** Time for the reset to come. */
const LISTEN_AFTER_MS = 1_000;

/** `ask` writes, if there is still no answer then. */
export function askWhetherThere(socket: Socket, ask: () => void): void {
  setTimeout(() => {
    ask();
    setTimeout(() => {
      // Nothing is read from the socket any more, so only a write learns of a reset.
      if (socket.writable) socket.write('');
    }, LISTEN_AFTER_MS).unref();
  }, ASK_AFTER_MS).unref();
}
