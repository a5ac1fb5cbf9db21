// Columns of text, each as wide as its widest cell; the last one is left ragged, or wrapped.

/** With `lineWidth`, a last cell that would pass it continues below its beginning. */
export function printTable(
  rows: readonly (readonly string[])[],
  lineWidth: number = Number.POSITIVE_INFINITY,
): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  return rows.map(printRow).join('\n');

  function printRow(row: readonly string[]): string {
    const before = row.slice(0, -1).map((cell, column) => cell.padEnd(widths[column] ?? 0));
    const start = ['', ...before, ''].join('  ');
    const last = row.at(-1) ?? '';
    const lines = wrapText(last, lineWidth - start.length);
    return `${start}${lines.join(`\n${' '.repeat(start.length)}`)}`.trimEnd();
  }
}

/** Lines of whole words; a word that is longer than a line has one of its own. */
export function wrapText(text: string, width: number): readonly string[] {
  if (text.length <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= width) line = longer;
    else {
      if (line !== '') lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}
