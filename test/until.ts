// Waits for states that no event announces.

import { setTimeout as delay } from 'node:timers/promises';

/** Pauses between two checks: checks without pauses would keep a core busy. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(1);
}
