// Running queries with a button to cancel them, open streams, and the slowest runs of the last
// hour.

import './live.css';
import type { GridClient, QueryStatistics, RunningQuery } from '../../../src/client/index.ts';
import { MetricsText, type Sample } from '../../api/metrics-text.ts';
import { useResource } from '../../api/resource.ts';
import { call, may } from '../../api/session.ts';
import { hrefOf } from '../../app/router.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/notice.tsx';
import { printCount, printDuration, printTime } from '../../design/print-numbers.ts';
import { Badge, EmptyState, Skeleton } from '../../design/small-parts.tsx';
import { showError, showToast } from '../../design/toasts.tsx';

const LOADED_EVERY_MS = 1000;

interface Activity {
  readonly running: readonly RunningQuery[];
  readonly slowest: QueryStatistics['slowest'];
  /** Undefined if the login may not read the cluster. */
  readonly streams: readonly OpenStreams[] | undefined;
}

/** The streams of one kind. */
interface OpenStreams {
  readonly title: string;
  readonly open: number;
  /** Sent since the service started. */
  readonly events: number;
}

export function Live() {
  const { reload, state } = useResource(loadActivity, [], { everyMs: LOADED_EVERY_MS });
  const { value } = state.value;
  return (
    <div class="page">
      <header class="page-head">
        <h1>Live</h1>
      </header>
      {state.value.kind === 'failed' && <ErrorNotice error={state.value.error} />}
      {state.value.kind === 'loading' && <Skeleton width="50%" />}
      {value !== undefined && (
        <>
          <Running queries={value.running} onCancelled={() => void reload()} />
          {value.streams !== undefined && <Streams streams={value.streams} />}
          <Slowest queries={value.slowest} />
        </>
      )}
    </div>
  );
}

interface RunningProps {
  readonly queries: readonly RunningQuery[];
  readonly onCancelled: () => void;
}

function Running({ onCancelled, queries }: RunningProps) {
  const cancel = async (id: string): Promise<void> => {
    try {
      const wasThere = await call(({ service }) => service.cancelQuery(id));
      showToast(wasThere ? 'Cancelled' : 'The query had ended already');
      onCancelled();
    } catch (error) {
      showError(error);
    }
  };
  return (
    <section class="live-section" aria-label="Running queries">
      <h2>Running queries</h2>
      {queries.length === 0 ? (
        <EmptyState icon="live" title="No query runs now">
          Queries that take longer than a moment appear here, with a way to cancel them.
        </EmptyState>
      ) : (
        <div class="table-frame">
          <table class="table">
            <thead>
              <tr>
                <th>Query</th>
                <th>State</th>
                <th class="number">Since</th>
                <th>
                  <span class="visually-hidden">Action</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {queries.map(({ elapsedMs, id, oql, queryId, state }) => (
                <tr key={id}>
                  <td class="live-text mono">{queryId ?? oql}</td>
                  <td>
                    <Badge kind={state === 'running' ? 'accent' : 'plain'}>{state}</Badge>
                  </td>
                  <td class="number">{printDuration(elapsedMs / 1000)}</td>
                  <td>
                    <Button size="small" icon="stop" onClick={() => void cancel(id)}>
                      Cancel
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Streams({ streams }: { readonly streams: readonly OpenStreams[] }) {
  return (
    <section class="live-section" aria-label="Open feeds">
      <h2>Open feeds</h2>
      <div class="table-frame">
        <table class="table">
          <thead>
            <tr>
              <th>Kind</th>
              <th class="number">Open now</th>
              <th class="number">Events sent</th>
            </tr>
          </thead>
          <tbody>
            {streams.map(({ events, open, title }) => (
              <tr key={title}>
                <td>{title}</td>
                <td class="number">{printCount(open)}</td>
                <td class="number">{printCount(events)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Slowest({ queries }: { readonly queries: QueryStatistics['slowest'] }) {
  if (queries.length === 0) return null;
  return (
    <section class="live-section" aria-label="Slowest queries of the last hour">
      <h2>Slowest queries of the last hour</h2>
      <div class="table-frame">
        <table class="table">
          <thead>
            <tr>
              <th>Query</th>
              <th class="number">Time</th>
              <th class="number">Rows</th>
              <th>Outcome</th>
              <th>When</th>
            </tr>
          </thead>
          <tbody>
            {queries.map(({ code, ms, oql, outcome, rows, time, ...query }) => (
              <tr key={time + oql}>
                <td class="live-text mono">
                  <a href={hrefOf({ screen: 'workbench', parameters: { q: oql } })}>
                    {query['query-id'] ?? oql}
                  </a>
                </td>
                <td class="number">{printDuration(ms / 1000)}</td>
                <td class="number">{printCount(rows)}</td>
                <td>
                  <Badge kind={outcome === 'completed' ? 'ok' : 'danger'}>{code ?? outcome}</Badge>
                </td>
                <td class="live-time">{printTime(new Date(time))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

async function loadActivity({ service }: GridClient, signal: AbortSignal): Promise<Activity> {
  const [running, { slowest }, metrics] = await Promise.all([
    service.listRunningQueries({ signal }),
    service.readQueryStatistics({ signal }),
    may(['CLUSTER', 'READ']) ? service.readMetrics({ signal }) : undefined,
  ]);
  const streams = metrics === undefined ? undefined : readStreams(new MetricsText(metrics));
  return { running, slowest, streams };
}

const STREAMS: Readonly<Record<string, string>> = {
  changes: 'Change feeds',
  live: 'Live queries',
};

function readStreams(metrics: MetricsText): readonly OpenStreams[] {
  return metrics.list('gridkeep_streams_open').map(({ labels, value }) => {
    const kind = labels['stream'] ?? '';
    const isKind = (other: Sample['labels']): boolean => other['stream'] === kind;
    const events = metrics.sum('gridkeep_stream_events_total', isKind);
    return { title: STREAMS[kind] ?? kind, open: value, events };
  });
}
