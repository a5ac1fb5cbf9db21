// Figures of a benchmark: how they are drawn from samples, and held against bars.

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** The sample that a share of all samples does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export interface Figure {
  readonly title: string;
  readonly value: number;
  /** The value with its unit. */
  readonly shown: string;
  /** What it was made of. */
  readonly detail: string;
  /** Absent: reported for its own sake. */
  readonly bar?: { readonly most: number } | { readonly least: number };
  readonly isMet?: boolean;
}

/** A figure with its verdict. */
export function judge(figure: Omit<Figure, 'isMet'>): Figure {
  const { bar, value } = figure;
  if (bar === undefined) return figure;
  return { ...figure, isMet: 'most' in bar ? value <= bar.most : value >= bar.least };
}

/** Lines of cells, padded to columns. */
export function printTable(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, i) =>
    Math.max(...lines.map((line) => (line[i] ?? '').length)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
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
