// Drains the server: requests in flight are finished, and no connected client is
// cut off in the middle of a request.

import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { RunningServer } from '../http/index.ts';

export interface DrainTimes {
  /** The longest time it may take; requests still in flight are then cut off. */
  readonly timeoutMs: number;
  /** How long no request must have come before the next step: the door shut, then the end. */
  readonly lingerMs: number;
}

/** Gives the number of requests that did not finish in time. The server is left to be closed. */
export async function drainServer(
  server: RunningServer,
  { lingerMs, timeoutMs }: DrainTimes,
): Promise<number> {
  const ended = new AbortController();
  const timeUp = delay(timeoutMs, undefined, { signal: ended.signal }).catch(() => undefined);
  await Promise.race([letGo(server, lingerMs, ended.signal), timeUp]);
  ended.abort();
  return server.requestsInFlight;
}

async function letGo(server: RunningServer, lingerMs: number, ended: AbortSignal): Promise<void> {
  try {
    // First for clients that have not noticed yet, load balancers above all; then, no
    // longer listening, for requests that are already on their way.
    await untilQuiet(server, lingerMs, ended);
    server.stopListening();
    await untilQuiet(server, lingerMs, ended);
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}

/**
 * Settles when nothing is in flight and no request came for the linger time. On a busy machine that
 * time may pass before we get to read: requests waiting in the sockets are then read first, or
 * their senders would be cut off.
 */
async function untilQuiet(
  server: RunningServer,
  lingerMs: number,
  ended: AbortSignal,
): Promise<void> {
  let turnedAway = -1;
  while (server.requestsTurnedAway !== turnedAway) {
    await server.drain();
    turnedAway = server.requestsTurnedAway;
    await delay(lingerMs, undefined, { signal: ended });
    for (let turn = 0; turn < 3; turn += 1) await setImmediate(undefined, { signal: ended });
  }
  await server.drain();
}
