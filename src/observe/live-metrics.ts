// Metrics of live queries.

import { type Metrics, single } from './metrics.ts';

export interface LiveFigures {
  /** Open streams, by the update method of their queries. */
  readonly followed: number;
  readonly runAgain: number;
  /** Rows and bytes that all results hold. */
  readonly rows: number;
  readonly bytes: number;
  /** Since the start. */
  readonly deltasSent: number;
  readonly entriesEvaluated: number;
  readonly runs: number;
  readonly runSeconds: number;
}

export const NO_LIVE_QUERIES: LiveFigures = {
  followed: 0,
  runAgain: 0,
  rows: 0,
  bytes: 0,
  deltasSent: 0,
  entriesEvaluated: 0,
  runs: 0,
  runSeconds: 0,
};

export function sampleLive(metrics: Metrics, read: () => LiveFigures): void {
  metrics.sampled(
    'gauge',
    'gridkeep_live_queries',
    'Live queries open, by whether they are followed change by change or run again.',
    () => {
      const { followed, runAgain } = read();
      return [
        { labels: { way: 'followed' }, value: followed },
        { labels: { way: 'run-again' }, value: runAgain },
      ];
    },
  );
  const sample = (
    type: 'counter' | 'gauge',
    name: string,
    help: string,
    pick: (figures: LiveFigures) => number,
  ) => metrics.sampled(type, name, help, () => single(pick(read())));
  sample('gauge', 'gridkeep_live_rows', 'Rows that live queries hold.', (f) => f.rows);
  sample('gauge', 'gridkeep_live_bytes', 'Memory that live queries hold.', (f) => f.bytes);
  sample('counter', 'gridkeep_live_deltas_total', 'Deltas sent.', (f) => f.deltasSent);
  sample(
    'counter',
    'gridkeep_live_evaluations_total',
    'Changed entries evaluated one by one, once for each live query.',
    (f) => f.entriesEvaluated,
  );
  sample(
    'counter',
    'gridkeep_live_runs_total',
    'Runs of live queries, the first of each included.',
    (f) => f.runs,
  );
  sample('counter', 'gridkeep_live_run_seconds_total', 'Time of those runs.', (f) => f.runSeconds);
}
