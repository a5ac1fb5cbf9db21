// A result as a chart. Kind and columns have defaults, and can be changed.

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Select } from '../../design/field.tsx';
import { EmptyState } from '../../design/small-parts.tsx';
import { ChartPicture } from './chart-picture.tsx';
import { type ChartChoice, type ChartKind, chooseChart, columnKinds } from './choose-chart.ts';
import type { ResultTable } from './result-rows.ts';

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
      <ChartPicture table={table} choice={choice} />
    </div>
  );
}
