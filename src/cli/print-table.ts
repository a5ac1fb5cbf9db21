// Columns of text, each as wide as its widest cell; the last one is left ragged.

export function printTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  return rows.map((row) => `  ${row.map(pad).join('  ')}`.trimEnd()).join('\n');

  function pad(cell: string, column: number, row: readonly string[]): string {
    return column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0);
  }
}
