// A result as a chart, drawn as SVG: bars, a line, or points. Kind and columns have defaults, and
// can be changed.

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Select } from '../../design/field.tsx';
import { printCompact } from '../../design/print-numbers.ts';
import { EmptyState } from '../../design/small-parts.tsx';
import { niceTicks, type Point, toPoints } from './chart-points.ts';
import {
  type ChartChoice,
  type ChartKind,
  chooseChart,
  columnKinds,
  MAX_BARS,
} from './choose-chart.ts';
import type { ResultTable } from './result-rows.ts';

const WIDTH = 900;
const HEIGHT = 360;
const LEFT = 64;
const BOTTOM = 72;
const TOP = 16;
const RIGHT = 16;

const KINDS: readonly { readonly value: ChartKind; readonly title: string }[] = [
  { value: 'bar', title: 'Bars' },
  { value: 'line', title: 'Line' },
  { value: 'scatter', title: 'Points' },
];

export function ResultChart({ table }: { readonly table: ResultTable }) {
  const suggested = useMemo(() => chooseChart(table), [table]);
  const chosen = useSignal<Partial<ChartChoice>>({});
  if (suggested === undefined) {
    return (
      <EmptyState icon="overview" title="There is nothing to draw">
        A chart needs two rows or more, and a column of numbers.
      </EmptyState>
    );
  }
  const choice = { ...suggested, ...chosen.value };
  const numbers = columnKinds(table).flatMap((kind, column) => (kind === 'number' ? [column] : []));
  const columnOptions = (columns: readonly number[]) =>
    columns.map((column) => ({ value: String(column), title: table.columns[column] ?? '' }));
  return (
    <div class="chart">
      <div class="chart-choices">
        <Select
          label="Chart"
          value={choice.kind}
          options={KINDS}
          onChange={(kind) => {
            chosen.value = { ...chosen.value, kind };
          }}
        />
        <Select
          label="Along"
          value={String(choice.x)}
          options={columnOptions(table.columns.map((_, column) => column))}
          onChange={(column) => {
            chosen.value = { ...chosen.value, x: Number(column) };
          }}
        />
        <Select
          label="Figure"
          value={String(choice.y)}
          options={columnOptions(numbers)}
          onChange={(column) => {
            chosen.value = { ...chosen.value, y: Number(column) };
          }}
        />
      </div>
      <div class="chart-frame">
        <Picture table={table} choice={choice} />
      </div>
    </div>
  );
}

function Picture({ choice, table }: { readonly choice: ChartChoice; readonly table: ResultTable }) {
  const points = toPoints(table, choice);
  const shown = choice.kind === 'bar' ? points.slice(0, MAX_BARS) : points;
  const ticks = niceTicks(shown.map(({ y }) => y));
  const low = ticks[0] ?? 0;
  const high = ticks.at(-1) ?? 1;
  const toY = (value: number): number =>
    TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - low) / (high - low || 1));
  const title = `${table.columns[choice.y]} by ${table.columns[choice.x]}`;
  return (
    <svg class="chart-picture" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="chart-grid" x1={LEFT} x2={WIDTH - RIGHT} y1={toY(tick)} y2={toY(tick)} />
          <text class="chart-label" x={LEFT - 8} y={toY(tick) + 4} text-anchor="end">
            {printCompact(tick)}
          </text>
        </g>
      ))}
      <Marks
        kind={choice.kind}
        points={shown}
        toY={toY}
        base={toY(Math.max(low, Math.min(0, high)))}
      />
      <Labels kind={choice.kind} points={shown} />
    </svg>
  );
}

interface MarksProps {
  readonly kind: ChartKind;
  readonly points: readonly Point[];
  readonly toY: (value: number) => number;
  readonly base: number;
}

const INNER = WIDTH - LEFT - RIGHT;

function Marks({ base, kind, points, toY }: MarksProps) {
  if (kind === 'bar') {
    const step = INNER / points.length;
    return (
      <>
        {points.map(({ label, y }, index) => (
          <rect
            key={index}
            class="chart-bar"
            x={LEFT + step * index + step * 0.15}
            width={step * 0.7}
            y={Math.min(base, toY(y))}
            height={Math.max(1, Math.abs(base - toY(y)))}
          >
            <title>{`${label}: ${y}`}</title>
          </rect>
        ))}
      </>
    );
  }
  const placed = points.map(({ label, x, y }) => ({ label, y, at: LEFT + x * INNER, top: toY(y) }));
  return (
    <>
      {kind === 'line' && (
        <polyline
          class="chart-line"
          points={placed.map(({ at, top }) => `${at},${top}`).join(' ')}
        />
      )}
      {(kind === 'scatter' || placed.length <= MAX_BARS) &&
        placed.map(({ at, label, top, y }, index) => (
          <circle key={index} class="chart-point" cx={at} cy={top} r={kind === 'line' ? 3 : 4}>
            <title>{`${label}: ${y}`}</title>
          </circle>
        ))}
    </>
  );
}

const MAX_LABELS = 12;
/** Width of 14 characters; with less space labels are rotated. */
const WIDEST_LABEL = 110;

function Labels({ kind, points }: { readonly kind: ChartKind; readonly points: readonly Point[] }) {
  const every = Math.max(1, Math.ceil(points.length / MAX_LABELS));
  const step = INNER / points.length;
  const isTight = step * every < WIDEST_LABEL;
  return (
    <>
      {points.map(({ label, x }, index) => {
        if (index % every !== 0) return null;
        const at = kind === 'bar' ? LEFT + step * (index + 0.5) : LEFT + x * INNER;
        const top = HEIGHT - BOTTOM + 18;
        const short = label.length > 14 ? `${label.slice(0, 13)}…` : label;
        return (
          <text
            key={index}
            class="chart-label"
            x={at}
            y={top}
            text-anchor={isTight ? 'end' : 'middle'}
            {...(isTight ? { transform: `rotate(-35 ${at} ${top})` } : {})}
          >
            {short}
          </text>
        );
      })}
    </>
  );
}
