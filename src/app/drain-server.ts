// How the server lets its clients go: requests in flight are finished, and
// nobody who is already connected is cut off in the middle of a request.

import { setTimeout as delay } from 'node:timers/promises';
import type { RunningServer } from '../http/server.ts';

export interface DrainTimes {
  /** The most it may take; what is then in flight is cut off. */
  readonly timeoutMs: number;
  /** How long new requests are still turned away in words, after the last one in flight. */
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
  const linger = (): Promise<void> => delay(lingerMs, undefined, { signal: ended });
  try {
    await server.drain();
    // First for clients that are yet to come, load balancers above all; then,
    // with the door shut, for those whose request is already on its way.
    await linger();
    server.stopListening();
    await linger();
    await server.drain();
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}
