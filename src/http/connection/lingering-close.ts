// Closes a connection after its last answer. The kernel resets a connection that is closed while
// bytes of the client are unread, and a reset discards answers in transit. So this closes our half
// first, then reads and drops further bytes.

import type { Socket } from 'node:net';

/** A client that is silent for this long is taken as done. */
const QUIET_MS = 1_000;
/** Upper bound on the checks, for a client that never stops sending. */
const MAX_CHECKS = 5;

const closing = new WeakSet<Socket>();

/** Whether the connection closes once its pending output is written. */
export function isClosing(socket: Socket): boolean {
  return closing.has(socket);
}

/** Makes every close of the socket lingering, also those that Node initiates. */
export function alwaysCloseLingering(socket: Socket): void {
  socket.destroySoon = () => closeLingering(socket);
}

export function closeLingering(socket: Socket): void {
  if (closing.has(socket) || socket.destroyed) return;
  closing.add(socket);
  if (socket.writable) socket.end();
  if (socket.readableEnded) {
    destroyWhenWritten(socket);
    return;
  }
  socket.removeAllListeners('data');
  socket.on('data', drop);
  socket.once('end', () => destroyWhenWritten(socket));
  socket.resume();
  destroyWhenQuiet(socket);
}

function destroyWhenQuiet(socket: Socket): void {
  let { bytesRead } = socket;
  let checks = 0;
  const timer = setInterval(() => {
    checks += 1;
    const isQuiet = socket.bytesRead === bytesRead;
    bytesRead = socket.bytesRead;
    if (!isQuiet && checks < MAX_CHECKS) return;
    clearInterval(timer);
    destroyWhenWritten(socket);
  }, QUIET_MS).unref();
  socket.once('close', () => clearInterval(timer));
}

function destroyWhenWritten(socket: Socket): void {
  if (socket.writableFinished) socket.destroy();
  else socket.once('finish', () => socket.destroy());
}

function drop(): void {
  // Our half is closed, which tells the client that no request is answered any more.
}

/** Needs no action: the socket closes after its error. */
export function ignoreSocketError(): void {
  // The client is gone.
}
