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

/** Returns the number of requests that did not finish in time. The caller closes the server. */
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
    // First for clients, above all load balancers, that have not noticed yet; then, no longer
    // listening, for requests in transit.
    await untilQuiet(server, lingerMs, ended);
    server.stopListening();
    await untilQuiet(server, lingerMs, ended);
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}

/**
 * Settles when nothing is in flight and no request came for the linger time. On a busy machine that
 * time may pass before sockets are read, so requests that wait in the sockets are read first.
 */
async function untilQuiet(
  server: RunningServer,
  lingerMs: number,
  ended: AbortSignal,
): Promise<void> {
  let refused = -1;
  while (server.requestsRefused !== refused) {
    await server.drain();
    refused = server.requestsRefused;
    await delay(lingerMs, undefined, { signal: ended });
    for (let turn = 0; turn < 3; turn += 1) await setImmediate(undefined, { signal: ended });
  }
  await server.drain();
}
