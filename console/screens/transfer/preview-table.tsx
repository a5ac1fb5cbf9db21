// The first rows of a file: the key and the value that each would be written with.

import { showHidden } from '../../json/json-text.ts';
import type { FileForm } from './read-file.ts';
import type { FileRow } from './to-item.ts';
import { type KeyChoice, toItem } from './to-item.ts';

interface PreviewTableProps {
  readonly rows: readonly FileRow[];
  readonly choice: KeyChoice;
  readonly form: FileForm;
}

/** Characters of a value. */
const SHOWN = 300;

export function PreviewTable({ choice, form, rows }: PreviewTableProps) {
  if (rows.length === 0) return <p class="quiet">The file has no rows.</p>;
  return (
    <section
      class="table-frame"
      aria-label="The first rows"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
      tabIndex={0}
    >
      <table class="table">
        <thead>
          <tr>
            <th class="number">{form === 'ndjson' ? 'Line' : 'Row'}</th>
            <th>Key</th>
            <th>Value</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <PreviewRow key={row.rowNumber} row={row} choice={choice} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function PreviewRow({ choice, row }: { readonly row: FileRow; readonly choice: KeyChoice }) {
  const item = toItem(row, choice);
  return (
    <tr>
      <td class="number quiet">{row.rowNumber}</td>
      {item.problem === undefined ? (
        <>
          <td class="mono transfer-key">{showHidden(item.key)}</td>
          <td class="mono transfer-value">{showHidden(item.value.slice(0, SHOWN))}</td>
        </>
      ) : (
        <td colSpan={2} class="transfer-problem">
          {item.problem}
        </td>
      )}
    </tr>
  );
}
