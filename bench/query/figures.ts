// Figures of a benchmark: computed from samples, and compared with bars.

import { printTable } from '../shared/tables.ts';

/** The value that this share of the samples does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export interface Figure {
  readonly title: string;
  readonly value: number;
  /** The value with its unit. */
  readonly shown: string;
  /** The values from which it was computed. */
  readonly detail: string;
  /** Absent for a figure without a bar. */
  readonly bar?: { readonly most: number } | { readonly least: number };
  readonly isMet?: boolean;
}

/** A figure with its verdict. */
export function judge(figure: Omit<Figure, 'isMet'>): Figure {
  const { bar, value } = figure;
  if (bar === undefined) return figure;
  return { ...figure, isMet: 'most' in bar ? value <= bar.most : value >= bar.least };
}

export function printFigures(figures: readonly Figure[]): string {
  const lines = figures.map(({ title, shown, bar, detail, isMet }) => [
    title,
    shown,
    bar === undefined ? '' : 'most' in bar ? `≤ ${bar.most}` : `≥ ${bar.least}`,
    isMet === undefined ? '' : isMet ? 'met' : 'MISSED',
    detail,
  ]);
  return printTable(lines);
}
