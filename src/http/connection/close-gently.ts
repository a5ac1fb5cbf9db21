// Closes a connection after its last answer. The system resets a connection that is closed while
// bytes of the client are unread, and a reset discards answers in transit. So our half is closed
// first, and whatever the client sends after that is read and dropped.

import type { Socket } from 'node:net';

/** A client that sent nothing for this long sends no more. */
const QUIET_MS = 1_000;
/** And no client may go on for longer. */
const MAX_LOOKS = 5;

const closing = new WeakSet<Socket>();

/** Whether the connection closes once its pending output is written. */
export function isClosing(socket: Socket): boolean {
  return closing.has(socket);
}

/** The connection is closed in this way by all callers, Node included. */
export function closeGentlyAlways(socket: Socket): void {
  socket.destroySoon = () => closeGently(socket);
}

export function closeGently(socket: Socket): void {
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
  let looks = 0;
  const timer = setInterval(() => {
    looks += 1;
    const isQuiet = socket.bytesRead === bytesRead;
    bytesRead = socket.bytesRead;
    if (!isQuiet && looks < MAX_LOOKS) return;
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
  // The client already knows that nothing more is read.
}
