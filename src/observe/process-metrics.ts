// Figures of the process itself: event-loop delay, heap, memory, processor time.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { type Metrics, single } from './metrics.ts';

const QUANTILES = [0.5, 0.9, 0.99, 1];

/** Adds the process figures to the registry; the result ends the event-loop monitor. */
export function sampleProcess(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  metrics.sampled(
    'summary',
    'gridkeep_event_loop_delay_seconds',
    'Delay of the event loop since these figures were last read.',
    () => {
      const samples = QUANTILES.map((quantile) => ({
        labels: { quantile: String(quantile) },
        value: delay.percentile(quantile * 100) / 1e9,
      }));
      delay.reset();
      return samples;
    },
  );
  metrics.sampled('gauge', 'process_resident_memory_bytes', 'Resident memory.', () =>
    single(process.memoryUsage.rss()),
  );
  metrics.sampled('gauge', 'gridkeep_memory_bytes', 'Memory of the JavaScript engine.', () => {
    const { heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage();
    return Object.entries({ heapTotal, heapUsed, external, arrayBuffers }).map(([kind, value]) => ({
      labels: { kind },
      value,
    }));
  });
  metrics.sampled('gauge', 'gridkeep_heap_limit_bytes', 'Most the heap may grow to.', () =>
    single(getHeapStatistics().heap_size_limit),
  );
  metrics.sampled('counter', 'process_cpu_seconds_total', 'Processor time used.', () => {
    const { user, system } = process.cpuUsage();
    return single((user + system) / 1e6);
  });
  metrics.sampled('gauge', 'process_start_time_seconds', 'Start, as Unix time.', () =>
    single(Math.round(performance.timeOrigin) / 1000),
  );
  return () => delay.disable();
}
