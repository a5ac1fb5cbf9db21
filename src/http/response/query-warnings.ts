// Warnings about a query that ran, as a header.

/** Proxies truncate longer headers; warnings that do not fit are omitted. */
const MAX_BYTES = 2048;

/** `Query-Warnings`: a JSON array of sentences, in ASCII; no header where there are none. */
export function warningHeader(warnings: readonly string[]): readonly string[] {
  const fitting: string[] = [];
  let size = 2;
  for (const warning of warnings) {
    // JSON can escape every character, and a header must be ASCII.
    const json = JSON.stringify(warning).replace(/[\u007f-\uffff]/g, escapeUnit);
    size += json.length + 1;
    if (size > MAX_BYTES) break;
    fitting.push(json);
  }
  return fitting.length === 0 ? [] : ['Query-Warnings', `[${fitting.join()}]`];
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
