// Maps rows to points of a chart, and chooses the marks of its axes.

import { type ChartChoice, columnKinds, MAX_BARS } from './choose-chart.ts';
import { numberOf, printCell, type ResultTable } from './result-rows.ts';

export interface Point {
  readonly label: string;
  /** Position on the x axis, from 0 to 1. */
  readonly x: number;
  readonly y: number;
}

export interface ChartPoints {
  readonly points: readonly Point[];
  /** Range of the x axis if it has numbers; otherwise the labels of the points mark it. */
  readonly range: { readonly low: number; readonly high: number } | undefined;
  /** Rows with a figure, also those without a point. */
  readonly rowCount: number;
}

/** More points are thinned out evenly. */
const MAX_POINTS = 2000;

/** Skips rows without a number that can be drawn. Bars are those of the first rows. */
export function toPoints(table: ResultTable, { kind, x, y }: ChartChoice): ChartPoints {
  const along = kind === 'bar' ? 'name' : columnKinds(table)[x];
  const rows = table.cells.flatMap((row, index) => {
    const value = numberOf(row[y]);
    const label = printCell(row[x]);
    const position =
      along === 'number' ? numberOf(row[x]) : along === 'time' ? Date.parse(label) : index;
    return value !== undefined && Number.isFinite(value) && Number.isFinite(position)
      ? [{ label, position: position ?? 0, y: value }]
      : [];
  });
  if (kind === 'bar') {
    const bars = rows.slice(0, MAX_BARS);
    const points = bars.map(({ label, y: value }, index) => ({
      label,
      x: (index + 0.5) / bars.length,
      y: value,
    }));
    return { points, range: undefined, rowCount: rows.length };
  }
  rows.sort((a, b) => a.position - b.position);
  const every = Math.ceil(rows.length / MAX_POINTS);
  const kept = rows.filter((_, index) => index % every === 0);
  const low = kept[0]?.position ?? 0;
  const high = kept.at(-1)?.position ?? 0;
  const points = kept.map(({ label, position, y: value }) => ({
    label,
    x: high === low ? 0.5 : (position - low) / (high - low),
    y: value,
  }));
  const range = along === 'number' ? { low, high } : undefined;
  return { points, range, rowCount: rows.length };
}

/** Round numbers that enclose all values, with zero if it is near. */
export function niceTicks(values: readonly number[]): readonly number[] {
  const least = Math.min(...values);
  const most = Math.max(...values);
  const near = (most - least) / 2;
  const low = least > 0 && least <= near ? 0 : least;
  const high = most < 0 && -most <= near ? 0 : most;
  if (high === low) return niceTicks(low === 0 ? [0, 1] : [0, low]);
  const step = niceStep((high - low) / 4);
  const first = Math.floor(low / step);
  const last = Math.ceil(high / step);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}

/** At most `count` round numbers within a range, from 0 to 1 where they lie in it. */
export function ticksWithin(
  { high, low }: { readonly low: number; readonly high: number },
  count: number,
): readonly { readonly tick: number; readonly x: number }[] {
  if (high === low) return [{ tick: low, x: 0.5 }];
  const step = niceStep((high - low) / count);
  const first = Math.ceil(low / step);
  const length = Math.floor(high / step) - first + 1;
  return Array.from({ length }, (_, index) => {
    const tick = (first + index) * step;
    return { tick, x: (tick - low) / (high - low) };
  });
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10) * power;
}
