// A result as a table: sortable, with resizable columns, and only visible rows in the page.

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { columnKinds } from './choose-chart.ts';
import { printCell, type ResultTable, type SortOrder, sortTable } from './result-rows.ts';

const ROW_HEIGHT = 32;
const OVERSCAN = 12;
const MIN_WIDTH = 64;
const MAX_WIDTH = 360;
const SAMPLED = 50;
/** Maximum characters of a cell; the JSON view shows all. */
const LONGEST = 300;

interface ResultTableProps {
  readonly table: ResultTable;
  /** Indexes of rows that changed recently. */
  readonly fresh?: ReadonlySet<number> | undefined;
}

export function ResultTableView({ fresh, table }: ResultTableProps) {
  const order = useSignal<SortOrder | undefined>(undefined);
  const widths = useSignal<readonly number[]>([]);
  const seen = useSignal({ first: 0, count: 60 });
  const kinds = useMemo(() => columnKinds(table), [table]);
  const guessed = useMemo(
    () => table.columns.map((_, column) => guessWidth(table, column)),
    [table],
  );
  const indexes = useMemo(() => sortTable(table, order.value), [table, order.value]);
  const width = guessed.map((guess, column) => widths.value[column] ?? guess);
  const { count, first } = seen.value;
  const last = Math.min(indexes.length, first + count);
  return (
    <section
      class="result-table"
      aria-label="Rows"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
      tabIndex={0}
      onScroll={({ currentTarget }) => {
        const top = Math.floor(currentTarget.scrollTop / ROW_HEIGHT) - OVERSCAN;
        const rows = Math.ceil(currentTarget.clientHeight / ROW_HEIGHT) + 2 * OVERSCAN;
        seen.value = { first: Math.max(0, Math.min(top, indexes.length - rows)), count: rows };
      }}
    >
      <table
        aria-rowcount={indexes.length + 1}
        style={{ width: `${width.reduce((sum, each) => sum + each, 0)}px` }}
      >
        <colgroup>
          {width.map((each, column) => (
            <col key={table.columns[column]} style={{ width: `${each}px` }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {table.columns.map((name, column) => (
              <HeadCell
                key={name}
                name={name}
                isNumber={kinds[column] === 'number'}
                direction={order.value?.column === column ? order.value.direction : undefined}
                onSort={() => {
                  order.value = nextOrder(order.value, column);
                }}
                onWiden={(by) => {
                  const wider = Math.max(MIN_WIDTH, (width[column] ?? MIN_WIDTH) + by);
                  widths.value = width.map((each, at) => (at === column ? wider : each));
                }}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap rows={first} />
          {indexes.slice(first, last).map((row, index) => (
            <tr
              key={row}
              aria-rowindex={first + index + 2}
              class={fresh?.has(row) === true ? 'fresh' : undefined}
            >
              {(table.cells[row] ?? []).map((text, column) => (
                <Cell
                  key={table.columns[column]}
                  text={text}
                  isNumber={kinds[column] === 'number'}
                />
              ))}
            </tr>
          ))}
          <Gap rows={indexes.length - last} />
        </tbody>
      </table>
    </section>
  );
}

/** A spacer for rows that are not visible. */
function Gap({ rows }: { readonly rows: number }) {
  if (rows <= 0) return null;
  return (
    <tr style={{ height: `${rows * ROW_HEIGHT}px` }}>
      <td />
    </tr>
  );
}

interface HeadCellProps {
  readonly name: string;
  readonly isNumber: boolean;
  readonly direction: SortOrder['direction'] | undefined;
  readonly onSort: () => void;
  readonly onWiden: (by: number) => void;
}

function HeadCell({ direction, isNumber, name, onSort, onWiden }: HeadCellProps) {
  return (
    <th scope="col" aria-sort={direction ?? 'none'} class={isNumber ? 'number' : undefined}>
      <button type="button" class="result-sort" onClick={onSort} title={name}>
        {name}
        {direction !== undefined && (
          <span aria-hidden="true">{direction === 'ascending' ? ' ↑' : ' ↓'}</span>
        )}
      </button>
      <span
        class="result-grip"
        aria-hidden="true"
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) => {
          if (event.buttons !== 0) onWiden(event.movementX);
        }}
      />
    </th>
  );
}

function Cell({
  isNumber,
  text,
}: {
  readonly text: string | undefined;
  readonly isNumber: boolean;
}) {
  const shown = printCell(text);
  const cut = shown.length > LONGEST ? `${shown.slice(0, LONGEST)}…` : shown;
  const isAbsent = text === 'null' || text === undefined;
  const look = [isAbsent && 'absent', isNumber && 'number'].filter(Boolean).join(' ');
  return (
    <td class={look || undefined} title={cut} dir="auto">
      {cut}
    </td>
  );
}

function nextOrder(order: SortOrder | undefined, column: number): SortOrder | undefined {
  if (order?.column !== column) return { column, direction: 'ascending' };
  return order.direction === 'ascending' ? { column, direction: 'descending' } : undefined;
}

/** Wide enough for most of the first cells. */
function guessWidth({ cells, columns }: ResultTable, column: number): number {
  const lengths = cells.slice(0, SAMPLED).map((row) => printCell(row[column]).length);
  const longest = Math.max((columns[column] ?? '').length + 2, ...lengths);
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, longest * 8 + 24));
}
