// Whether memory is critically short (query.critical-heap-percentage). The heap
// figures are read at most every 50 ms: queries ask between their slices.

import { getHeapStatistics } from 'node:v8';

const READ_EVERY_MS = 50;

/** 0 turns the watch off. */
export function createMemoryWatch(criticalHeapPercentage: number): () => boolean {
  if (criticalHeapPercentage === 0) return () => false;
  let readAt = Number.NEGATIVE_INFINITY;
  let isLow = false;
  return () => {
    const now = performance.now();
    if (now - readAt < READ_EVERY_MS) return isLow;
    readAt = now;
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    isLow = (used / limit) * 100 >= criticalHeapPercentage;
    return isLow;
  };
}
