// Closes idle sockets; those with an answer being sent are left to slow-clients.ts. A sweep
// compares the byte counts of all sockets: a timer per socket would be reset by every request, at
// the cost of a microsecond each.

import type { Server, Socket } from 'node:net';
import { CHECKS_PER_TIMEOUT, checkIntervalMs } from './check-interval.ts';
import type { SlowClients } from './slow-clients.ts';

interface SocketProgress {
  bytes: number;
  /** Checks since a byte was received or sent. */
  idleChecks: number;
}

/**
 * Returns a function that stops it. A socket is closed between `idleMs` and a quarter more after
 * its last byte.
 */
export function closeIdleSockets(
  server: Server,
  idleMs: number,
  slowClients: Pick<SlowClients, 'watchUntilDrained'>,
  mayBeIdle: (socket: Socket) => boolean,
): () => void {
  const sockets = new Map<Socket, SocketProgress>();
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, { bytes: 0, idleChecks: 0 });
    socket.once('close', () => sockets.delete(socket));
  });
  const interval = setInterval(() => {
    for (const [socket, progress] of sockets) {
      if (!isIdle(socket, progress) || mayBeIdle(socket)) continue;
      if (socket.writableLength > 0) slowClients.watchUntilDrained(socket);
      else socket.destroy();
    }
  }, checkIntervalMs(idleMs));
  interval.unref();
  return () => clearInterval(interval);
}

/**
 * Closes a connection whose keep-alive time is over. Timers run before sockets are read, so after a
 * stall its next request may have arrived: the socket is read once first.
 */
export function closeIfStillIdle(socket: Socket): void {
  const { bytesRead } = socket;
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) socket.destroy();
  });
}

/** Whether no byte was received or sent for the time allowed. */
function isIdle(socket: Socket, progress: SocketProgress): boolean {
  const bytes = socket.bytesRead + socket.bytesWritten - socket.writableLength;
  if (bytes !== progress.bytes) {
    progress.bytes = bytes;
    progress.idleChecks = 0;
    return false;
  }
  progress.idleChecks += 1;
  return progress.idleChecks > CHECKS_PER_TIMEOUT;
}
