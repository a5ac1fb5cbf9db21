// The load of the service: six charts, each with its current figure.

import type { ComponentChildren } from 'preact';
import { printBytes, printCount, printDuration, printRate } from '../../design/print-numbers.ts';
import { Skeleton } from '../../design/small-parts.tsx';
import { TimeChart } from '../../design/time-chart.tsx';
import type { Figures } from './figures.ts';
import { history } from './history.ts';

interface ChartDefinition {
  readonly title: string;
  readonly now: (figures: Figures) => string;
  readonly unit: string;
  readonly lines: readonly {
    readonly title: string;
    readonly pick: (figures: Figures) => number | null;
  }[];
  readonly print: (value: number) => string;
  readonly isBytes?: true;
}

const CHARTS: readonly ChartDefinition[] = [
  {
    title: 'Requests',
    now: ({ requestsPerSecond }) => printRate(requestsPerSecond),
    unit: 'per second',
    lines: [
      { title: 'all', pick: (figures) => figures.requestsPerSecond },
      { title: 'failed (5xx)', pick: (figures) => figures.errorsPerSecond },
    ],
    print: printRate,
  },
  {
    title: 'Time to answer',
    now: ({ p99Seconds }) => (p99Seconds === null ? '–' : printDuration(p99Seconds)),
    unit: 'p99',
    lines: [
      { title: 'p99', pick: (figures) => figures.p99Seconds },
      { title: 'p50', pick: (figures) => figures.p50Seconds },
    ],
    print: printDuration,
  },
  {
    title: 'Commits',
    now: ({ commitsPerSecond }) => printRate(commitsPerSecond),
    unit: 'per second',
    lines: [
      { title: 'commits', pick: (figures) => figures.commitsPerSecond },
      { title: 'writes in each', pick: (figures) => figures.writesPerCommit },
    ],
    print: printRate,
  },
  {
    title: 'Event-loop delay',
    now: ({ loopDelaySeconds }) => printDuration(loopDelaySeconds),
    unit: 'p99',
    lines: [{ title: 'p99', pick: (figures) => figures.loopDelaySeconds }],
    print: printDuration,
  },
  {
    title: 'Memory',
    now: ({ residentBytes }) => printBytes(residentBytes),
    unit: 'resident',
    lines: [
      { title: 'resident', pick: (figures) => figures.residentBytes },
      { title: 'heap', pick: (figures) => figures.heapBytes },
    ],
    print: printBytes,
    isBytes: true,
  },
  {
    title: 'Queries and feeds',
    now: ({ openStreams, runningQueries }) => printCount(runningQueries + openStreams),
    unit: 'open',
    lines: [
      { title: 'running', pick: (figures) => figures.runningQueries },
      { title: 'waiting', pick: (figures) => figures.waitingQueries },
      { title: 'feeds', pick: (figures) => figures.openStreams },
    ],
    print: printRate,
  },
];

export function Charts() {
  const figures = history.value;
  const now = figures.at(-1);
  const times = figures.map(({ time }) => time);
  return (
    <section class="charts" aria-label="What the service does">
      {CHARTS.map((chart) => (
        <ChartCard
          key={chart.title}
          title={chart.title}
          unit={chart.unit}
          figure={now === undefined ? <Skeleton width="4rem" /> : chart.now(now)}
        >
          <TimeChart
            label={`${chart.title} in the last minutes`}
            times={times}
            lines={chart.lines.map(({ pick, title }) => ({ title, values: figures.map(pick) }))}
            print={chart.print}
            unit={chart.isBytes === true ? 'bytes' : undefined}
          />
        </ChartCard>
      ))}
    </section>
  );
}

interface ChartCardProps {
  readonly title: string;
  readonly unit: string;
  readonly figure: ComponentChildren;
  readonly children: ComponentChildren;
}

function ChartCard({ children, figure, title, unit }: ChartCardProps) {
  return (
    <article class="card chart-card">
      <h2>{title}</h2>
      <p class="figure">
        <span class="figure-value">{figure}</span> <span class="quiet">{unit}</span>
      </p>
      {children}
    </article>
  );
}
