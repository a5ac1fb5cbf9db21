// Drains the server: requests in flight are finished, and no connected client is
// cut off in the middle of a request.

import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { RunningServer } from '../http/index.ts';

export interface DrainTimes {
  /** Maximum time; requests still in flight are then aborted. */
  readonly timeoutMs: number;
  /** Required time without a request before each next step: closing the listener, then ending. */
  readonly lingerMs: number;
}

/** A timer that fires later than this was held up with the whole process. */
const LATE_MS = 100;
/**
 * Rounds of the event loop in which waiting requests are read. Node accepts one connection in each,
 * and reads it in the next.
 */
const ROUNDS = 16;

/** Returns the number of requests that did not finish in time. The caller closes the server. */
export async function drainServer(
  server: RunningServer,
  { lingerMs, timeoutMs }: DrainTimes,
  now: () => number = () => performance.now(),
): Promise<number> {
  const ended = new AbortController();
  const timeUp = delay(timeoutMs, undefined, { signal: ended.signal }).catch(() => undefined);
  const untilQuiet = (): Promise<void> => awaitQuiet(server, lingerMs, now, ended.signal);
  await Promise.race([finishRequests(server, untilQuiet, ended.signal), timeUp]);
  ended.abort();
  return server.requestsInFlight;
}

async function finishRequests(
  server: RunningServer,
  untilQuiet: () => Promise<void>,
  ended: AbortSignal,
): Promise<void> {
  try {
    // While it still listens, clients notice that the service stops, above all load balancers.
    await untilQuiet();
    server.stopListening();
    // Requests in transit still arrive.
    await untilQuiet();
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}

/**
 * Settles when nothing is in flight and no request came for the linger time. On a busy machine that
 * time may pass before sockets are read, so requests that wait in the sockets are read first; a
 * process that was paused lingers again.
 */
async function awaitQuiet(
  server: RunningServer,
  lingerMs: number,
  now: () => number,
  ended: AbortSignal,
): Promise<void> {
  for (let isQuiet = false; !isQuiet; ) {
    await server.drain();
    const refused = server.requestsRefused;
    const dueMs = now() + lingerMs;
    await delay(lingerMs, undefined, { signal: ended });
    const isLate = now() > dueMs + LATE_MS;
    for (let round = 0; round < ROUNDS; round += 1)
      await setImmediate(undefined, { signal: ended });
    isQuiet = !isLate && server.requestsRefused === refused;
  }
  await server.drain();
}
