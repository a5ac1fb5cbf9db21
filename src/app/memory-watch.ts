// How much memory there is, and whether it is critically short
// (query.critical-heap-percentage). The figures are read at most every 50 ms:
// queries ask between their slices.

import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const READ_EVERY_MS = 50;

/** What the machine has, or the container lets us have. */
export function memoryBytes(): number {
  // 0 where nothing is said, a very large number where there is no limit.
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

/** 0 turns the watch off. */
export function createMemoryWatch(criticalHeapPercentage: number): () => boolean {
  if (criticalHeapPercentage === 0) return () => false;
  const allowedBytes = memoryBytes();
  let readAt = Number.NEGATIVE_INFINITY;
  let isLow = false;
  return () => {
    const now = performance.now();
    if (now - readAt < READ_EVERY_MS) return isLow;
    readAt = now;
    const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics();
    // A small container ends before the heap is full, and there all threads and buffers count.
    const share = Math.max(used / limit, anonymousBytes() / allowedBytes);
    isLow = share * 100 >= criticalHeapPercentage;
    return isLow;
  };
}

/** What is no mapped file: of those the system takes pages back by itself. */
function anonymousBytes(): number {
  try {
    const status = readFileSync('/proc/self/status', 'latin1');
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
  } catch {
    // Not Linux, so no container either.
    return 0;
  }
}
