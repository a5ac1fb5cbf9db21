// A chart as SVG, as wide as the page lets it be: bars, a line, or points.

import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { printCount, printScale } from '../../design/print-numbers.ts';
import { type ChartPoints, niceTicks, type Point, ticksWithin, toPoints } from './chart-points.ts';
import { type ChartChoice, type ChartKind, MAX_BARS } from './choose-chart.ts';
import type { ResultTable } from './result-rows.ts';

const HEIGHT = 340;
const LEFT = 64;
const TOP = 16;
const RIGHT = 24;
/** Room for labels below the picture, also if they are rotated. */
const BOTTOM = 32;
const BOTTOM_ROTATED = 84;
/** Longer labels are cut; a date with hours and minutes is not. */
const LONGEST_LABEL = 16;
/** Width of such a label and a gap. */
const LABEL_WIDTH = 120;
/** Width of a number of an axis. */
const NUMBER_WIDTH = 64;
/** Distance between rotated labels. */
const LABEL_HEIGHT = 20;

interface ChartPictureProps {
  readonly table: ResultTable;
  readonly choice: ChartChoice;
}

export function ChartPicture({ choice, table }: ChartPictureProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  const { kind, x, y } = choice;
  const drawn = useMemo(() => toPoints(table, { kind, x, y }), [table, kind, x, y]);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      width.value = element.clientWidth;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const { points, rowCount } = drawn;
  return (
    <>
      <div ref={frame} class="chart-frame" style={{ height: `${HEIGHT}px` }}>
        {width.value > LEFT + RIGHT && points.length > 0 && (
          <Picture
            kind={kind}
            drawn={drawn}
            title={`${table.columns[y]} by ${table.columns[x]}`}
            width={width.value}
          />
        )}
      </div>
      {points.length < rowCount && (
        <p class="chart-note">
          {kind === 'bar'
            ? `The first ${printCount(points.length)} of ${printCount(rowCount)} rows are drawn. ORDER BY and LIMIT choose others.`
            : `${printCount(points.length)} of ${printCount(rowCount)} rows are drawn, evenly spread.`}
        </p>
      )}
    </>
  );
}

interface PictureProps {
  readonly kind: ChartKind;
  readonly drawn: ChartPoints;
  readonly title: string;
  readonly width: number;
}

function Picture({ drawn, kind, title, width }: PictureProps) {
  const { points } = drawn;
  const inner = width - LEFT - RIGHT;
  const isRotated = kind === 'bar' && inner / points.length < LABEL_WIDTH;
  const bottom = HEIGHT - (isRotated ? BOTTOM_ROTATED : BOTTOM);
  const figures = points.map(({ y }) => y);
  // The length of a bar is its figure.
  const ticks = niceTicks(kind === 'bar' ? [0, ...figures] : figures);
  const labels = printScale(ticks);
  const low = ticks[0] ?? 0;
  const high = ticks.at(-1) ?? 1;
  const toX = (share: number): number => LEFT + share * inner;
  const toY = (value: number): number =>
    TOP + (bottom - TOP) * (1 - (value - low) / (high - low || 1));
  return (
    <svg class="chart-picture" width={width} height={HEIGHT} role="img" aria-label={title}>
      {ticks.map((tick, index) => (
        <g key={tick}>
          <line class="chart-grid" x1={LEFT} x2={width - RIGHT} y1={toY(tick)} y2={toY(tick)} />
          <text class="chart-label" x={LEFT - 8} y={toY(tick) + 4} text-anchor="end">
            {labels[index]}
          </text>
        </g>
      ))}
      {kind === 'bar' ? (
        <Bars points={points} toX={toX} toY={toY} step={inner / points.length} />
      ) : (
        <Line kind={kind} points={points} toX={toX} toY={toY} />
      )}
      {chooseLabels(drawn, { inner, isRotated }).map(({ label, x }) => (
        <Label key={x} at={toX(x)} top={bottom + 18} isRotated={isRotated} width={width}>
          {label}
        </Label>
      ))}
    </svg>
  );
}

interface MarksProps {
  readonly points: readonly Point[];
  readonly toX: (share: number) => number;
  readonly toY: (value: number) => number;
}

function Bars({ points, step, toX, toY }: MarksProps & { readonly step: number }) {
  const base = toY(0);
  return (
    <>
      {points.map(({ label, x, y }) => (
        <rect
          key={x}
          class="chart-bar"
          x={toX(x) - step * 0.35}
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

function Line({ kind, points, toX, toY }: MarksProps & { readonly kind: 'line' | 'scatter' }) {
  return (
    <>
      {kind === 'line' && (
        <polyline
          class="chart-line"
          points={points.map(({ x, y }) => `${toX(x)},${toY(y)}`).join(' ')}
        />
      )}
      {(kind === 'scatter' || points.length <= MAX_BARS) &&
        points.map(({ label, x, y }, index) => (
          <circle key={index} class={`chart-point chart-${kind}`} cx={toX(x)} cy={toY(y)} r={3}>
            <title>{`${label}: ${y}`}</title>
          </circle>
        ))}
    </>
  );
}

interface AxisLabel {
  readonly label: string;
  readonly x: number;
}

/** Labels of the x axis that do not overlap. */
function chooseLabels(
  { points, range }: ChartPoints,
  { inner, isRotated }: { readonly inner: number; readonly isRotated: boolean },
): readonly AxisLabel[] {
  if (range !== undefined) {
    const marks = ticksWithin(range, Math.max(2, Math.floor(inner / NUMBER_WIDTH)));
    const labels = printScale(marks.map(({ tick }) => tick));
    return marks.map(({ x }, index) => ({ label: labels[index] ?? '', x }));
  }
  const distance = (isRotated ? LABEL_HEIGHT : LABEL_WIDTH) / inner;
  const chosen: AxisLabel[] = [];
  let free = Number.NEGATIVE_INFINITY;
  for (const { label, x } of points) {
    if (x < free) continue;
    chosen.push({ label, x });
    free = x + distance;
  }
  return chosen;
}

interface LabelProps {
  readonly at: number;
  readonly top: number;
  readonly isRotated: boolean;
  readonly width: number;
  readonly children: string;
}

function Label({ at, children, isRotated, top, width }: LabelProps) {
  const isLast = at > width - LABEL_WIDTH / 2;
  const short =
    children.length > LONGEST_LABEL ? `${children.slice(0, LONGEST_LABEL - 1)}…` : children;
  return (
    <text
      class="chart-label"
      x={isLast && !isRotated ? width - 8 : at}
      y={top}
      text-anchor={isRotated || isLast ? 'end' : 'middle'}
      {...(isRotated ? { transform: `rotate(-35 ${at} ${top})` } : {})}
    >
      {short}
    </text>
  );
}
