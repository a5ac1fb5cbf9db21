// Measures memory, and whether it is critically low (query.critical-heap-percentage). The figures
// are read at most every 50 ms, because queries check between slices.

import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const READ_EVERY_MS = 50;
const COLLECT_EVERY_MS = 1_000;
/** The share of a container's memory at which queries are refused, so that the process is not killed. */
const LAST_RESORT_PERCENTAGE = 90;
/** Above this size, uncollected garbage is a small part. */
const SMALL_BYTES = 2 ** 30;

/** Memory of the machine, or the limit of the container. */
export function memoryBytes(): number {
  // 0 if unknown, a very large number if there is no limit.
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

/** The source of the figures; tests supply another than the process. */
export interface WatchedMemory {
  readonly now: () => number;
  /** Used share of the memory. */
  readonly share: () => number;
  /** Whether the process is killed beyond a limit. */
  readonly isContained: boolean;
  /** Collects garbage; absent if that would take long. */
  readonly collect?: () => void;
}

/** With a percentage of 0 only the last resort applies, and only in a container. */
export function createMemoryWatch(
  criticalHeapPercentage: number,
  { now, share, isContained, collect }: WatchedMemory = watchProcess(),
): () => boolean {
  const critical = criticalHeapPercentage || (isContained ? LAST_RESORT_PERCENTAGE : 0);
  if (critical === 0) return () => false;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let collectedAtMs = Number.NEGATIVE_INFINITY;
  let isLow = false;
  return () => {
    if (now() - readAtMs < READ_EVERY_MS) return isLow;
    readAtMs = now();
    isLow = share() * 100 >= critical;
    if (isLow && collect !== undefined && readAtMs - collectedAtMs >= COLLECT_EVERY_MS) {
      // After a burst most of it may be garbage. Only allocation makes V8 collect it, and nothing
      // allocates while every request is refused.
      collect();
      collectedAtMs = now();
      isLow = share() * 100 >= critical;
    }
    return isLow;
  };
}

function watchProcess(): WatchedMemory {
  const allowedBytes = memoryBytes();
  return {
    now: () => performance.now(),
    share: () => {
      const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics();
      // A small container is killed before the heap is full, because all threads and buffers count.
      return Math.max(used / limit, anonymousBytes() / allowedBytes);
    },
    isContained: allowedBytes < totalmem(),
    ...(allowedBytes <= SMALL_BYTES ? { collect: exposeCollector() } : {}),
  };
}

/** V8's collector can be called by name when its option is on; it may be switched on late. */
function exposeCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collector: unknown = runInNewContext('gc');
  return typeof collector === 'function' ? () => void collector() : () => undefined;
}

/** Anonymous memory: pages of mapped files can be reclaimed by the kernel at any time. */
function anonymousBytes(): number {
  try {
    const status = readFileSync('/proc/self/status', 'latin1');
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
  } catch {
    // Not Linux, so no container either.
    return 0;
  }
}
