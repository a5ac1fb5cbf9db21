// Prints the result of a check: the regions as a table, then `ok` or the findings, one per line.

import type { StoreReport } from '../app/index.ts';
import { printAmount } from '../value/print-amount.ts';
import { printTable } from './print-table.ts';

export function printReport(report: StoreReport): string {
  const { changeCount, file, fileBytes, regions, sequence } = report;
  const state = sequence === undefined ? 'its state cannot be read' : `commit ${sequence}`;
  const rows = regions.map(({ entryCount, name, problemCount, type, valueBytes }) => [
    name,
    type,
    printAmount(entryCount, 'entry', 'entries'),
    printAmount(valueBytes, 'byte'),
    problemCount === 0 ? 'ok' : printAmount(problemCount, 'problem'),
  ]);
  return [
    `${file}: ${fileBytes} bytes, ${state}, ${printAmount(changeCount, 'change')} in the log`,
    ...(rows.length === 0 ? [] : [printTable(rows)]),
    ...(report.count === 0 ? ['ok'] : [`damaged: ${printAmount(report.count, 'problem')}`]),
    ...printProblems(report),
  ].join('\n');
}

/** One per line, and the number of those not shown. */
export function printProblems({ count, shown }: Pick<StoreReport, 'count' | 'shown'>): string[] {
  const rest = count - shown.length;
  return [...shown.map((text) => `- ${text}`), ...(rest === 0 ? [] : [`- and ${rest} more`])];
}
