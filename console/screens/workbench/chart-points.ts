// Maps rows to points of a chart.

import { type ChartChoice, columnKinds } from './choose-chart.ts';
import { numberOf, printCell, type ResultTable } from './result-rows.ts';

export interface Point {
  readonly label: string;
  /** Position on the x axis, from 0 to 1. */
  readonly x: number;
  readonly y: number;
}

/** More points are thinned out evenly. */
const MAX_POINTS = 2000;

/** Skips rows without a number. */
export function toPoints(table: ResultTable, { x, y }: ChartChoice): readonly Point[] {
  const kind = columnKinds(table)[x];
  const rows = table.cells.flatMap((row, index) => {
    const value = numberOf(row[y]);
    const label = printCell(row[x]);
    const position =
      kind === 'number' ? numberOf(row[x]) : kind === 'time' ? Date.parse(label) : index;
    return value === undefined || position === undefined || Number.isNaN(position)
      ? []
      : [{ label, position, y: value }];
  });
  const ordered = kind === 'time' ? rows.sort((a, b) => a.position - b.position) : rows;
  const every = Math.ceil(ordered.length / MAX_POINTS);
  const kept = ordered.filter((_, index) => index % every === 0);
  const low = Math.min(...kept.map(({ position }) => position));
  const high = Math.max(...kept.map(({ position }) => position));
  return kept.map(({ label, position, y: value }) => ({
    label,
    x: high === low ? 0.5 : (position - low) / (high - low),
    y: value,
  }));
}

/** Round numbers that enclose all values, with zero if it is near. */
export function niceTicks(values: readonly number[]): readonly number[] {
  const low = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  const high = most === low ? low + 1 : most;
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10) * power;
  const first = Math.floor(low / step);
  const last = Math.ceil(high / step);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}
