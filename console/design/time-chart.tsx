// A chart of one or two lines over the last minutes, drawn by uPlot in the colours of the theme.
// The pointer shows time and values.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { shownTheme } from '../app/preferences.ts';

export interface Line {
  readonly title: string;
  readonly values: readonly (number | null)[];
}

interface TimeChartProps {
  /** The text for screen readers. */
  readonly label: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly print: (value: number) => string;
  /** Bytes have their own round numbers. */
  readonly unit?: 'bytes' | undefined;
}

const MEBIBYTE = 2 ** 20;
/** Distances between two grid lines. */
const BYTE_STEPS = Array.from({ length: 24 }, (_, power) => (MEBIBYTE / 4) * 2 ** power);

const HEIGHT = 112;
const COLOURS = ['--chart-1', '--chart-2', '--chart-3', '--chart-4'];
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export function TimeChart({ label, lines, print, times, unit }: TimeChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(null);
  const pointed = useSignal<number | null>(null);
  const theme = shownTheme.value;
  const titles = lines.map(({ title }) => title).join();
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const made = new uPlot(
      optionsOf(element, lines, { print, unit, onPoint: (at) => (pointed.value = at) }),
      [[], ...lines.map(() => [])],
      element,
    );
    chart.current = made;
    const observer = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [theme, titles]);
  useEffect(() => {
    chart.current?.setData([[...times], ...lines.map(({ values }) => [...values])]);
  }, [times, theme, titles]);
  return (
    <div class="time-chart">
      <div
        ref={frame}
        class={times.length < 2 ? 'time-chart-frame time-chart-empty' : 'time-chart-frame'}
        role="img"
        aria-label={label}
      />
      <ChartNote lines={lines} times={times} at={pointed.value} print={print} />
    </div>
  );
}

interface ChartNoteProps extends Pick<TimeChartProps, 'lines' | 'times' | 'print'> {
  readonly at: number | null;
}

/** The names of the lines, or the values under the pointer. */
function ChartNote({ at, lines, print, times }: ChartNoteProps) {
  const time = at === null ? undefined : times[at];
  return (
    <div class="time-chart-note">
      {lines.map(({ title, values }, i) => {
        const value = at === null ? null : (values[at] ?? null);
        return (
          <span key={title} class="time-chart-name">
            <span class={`time-chart-mark time-chart-mark-${i + 1}`} />
            {title}
            {value !== null && <strong>{print(value)}</strong>}
          </span>
        );
      })}
      {time !== undefined && <span class="time-chart-time">{clock.format(time * 1000)}</span>}
    </div>
  );
}

interface Handlers extends Pick<TimeChartProps, 'print' | 'unit'> {
  readonly onPoint: (at: number | null) => void;
}

function optionsOf(
  element: HTMLElement,
  lines: readonly Line[],
  { onPoint, print, unit }: Handlers,
): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--ink-2'),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: colour('--chart-grid'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    // Room for the last label, which extends beyond its axis.
    padding: [8, 22, 0, 0],
    scales: { y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.15 : 1] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 22,
        space: 64,
        values: (_chart, marks) => marks.map((mark) => clock.format(mark * 1000)),
      },
      {
        ...axis,
        size: 58,
        gap: 4,
        space: 34,
        ...(unit === 'bytes' ? { incrs: BYTE_STEPS } : {}),
        values: (_chart, marks) => marks.map((mark) => print(mark)),
      },
    ],
    series: [
      {},
      ...lines.map(({ title }, i) => ({
        label: title,
        stroke: colour(COLOURS[i] ?? ''),
        width: 1.5,
        points: { show: false },
        ...(i === 0 ? { fill: `${colour(COLOURS[0] ?? '')}14` } : {}),
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  };
}
