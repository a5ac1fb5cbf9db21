// Chooses the chart of a result by its columns: bars for a figure per name, a line over time or
// over a growing number, points for two figures.

import { numberOf, printCell, type ResultTable } from './result-rows.ts';

export type ChartKind = 'bar' | 'line' | 'scatter';

export interface ChartChoice {
  readonly kind: ChartKind;
  /** Column of the labels, or of the numbers along the x axis. */
  readonly x: number;
  readonly y: number;
}

export type ColumnKind = 'number' | 'time' | 'name' | 'other';

/** More bars cannot be distinguished. */
export const MAX_BARS = 60;
const SAMPLED = 200;
const TIME = /^\d{4}-\d\d(-\d\d([T ]\d\d:\d\d.*)?)?$/;

export function columnKinds({ cells, columns }: ResultTable): readonly ColumnKind[] {
  return columns.map((_, column) => {
    const texts = cells
      .slice(0, SAMPLED)
      .flatMap((row) => row[column] ?? [])
      .filter((text) => text !== 'null');
    if (texts.length === 0) return 'other';
    if (texts.every((text) => numberOf(text) !== undefined)) return 'number';
    if (!texts.every((text) => text.startsWith('"'))) return 'other';
    return texts.every((text) => TIME.test(printCell(text))) ? 'time' : 'name';
  });
}

/** The default chart; undefined if nothing can be drawn. */
export function chooseChart(table: ResultTable): ChartChoice | undefined {
  const kinds = columnKinds(table);
  const numbers = kinds.flatMap((kind, column) => (kind === 'number' ? [column] : []));
  const y = numbers.at(-1);
  if (y === undefined || table.cells.length < 2) return undefined;
  const time = kinds.indexOf('time');
  if (time >= 0) return { kind: 'line', x: time, y };
  const name = kinds.indexOf('name');
  if (name >= 0 && table.cells.length <= MAX_BARS) return { kind: 'bar', x: name, y };
  const [first, second] = numbers;
  if (first === undefined || second === undefined) {
    return name >= 0 ? { kind: 'bar', x: name, y } : undefined;
  }
  return { kind: isGrowing(table, first) ? 'line' : 'scatter', x: first, y: second };
}

function isGrowing({ cells }: ResultTable, column: number): boolean {
  let last = Number.NEGATIVE_INFINITY;
  for (const row of cells) {
    const next = numberOf(row[column]);
    if (next === undefined || next <= last) return false;
    last = next;
  }
  return true;
}
