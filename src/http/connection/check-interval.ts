// How often connections are checked for a time-out.

/** Checks within the time that a connection has. */
export const CHECKS_PER_TIMEOUT = 4;
const MIN_INTERVAL_MS = 5;

export function checkIntervalMs(timeoutMs: number): number {
  return Math.max(MIN_INTERVAL_MS, timeoutMs / CHECKS_PER_TIMEOUT);
}
