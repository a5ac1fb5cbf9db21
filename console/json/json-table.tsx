// A value as a table: a list of objects has a row for each, an object a row for each
// member.

import { useSignal } from '@preact/signals';
import { Button } from '../design/button.tsx';
import { printCount } from '../design/print-numbers.ts';
import { childrenOf, type JsonChild, kindAt, rootOf, showName } from './json-text.ts';
import { JsonScalar } from './json-tree.tsx';

const SHOWN_ROWS = 200;
const MAX_COLUMNS = 30;

export function JsonTable({ text }: { readonly text: string }) {
  const shown = useSignal(SHOWN_ROWS);
  const { end, start } = rootOf(text);
  const kind = kindAt(text, start);
  if (kind !== 'object' && kind !== 'array') {
    return (
      <div class="json-tree">
        <JsonScalar text={text.slice(start, end)} />
      </div>
    );
  }
  const children = childrenOf(text, start);
  const rows = children.slice(0, shown.value);
  const columns = kind === 'array' ? columnsOf(text, rows) : [];
  return (
    <div class="json-table">
      <div class="table-frame">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{kind === 'array' ? '#' : 'Member'}</th>
              {columns.length === 0 && <th scope="col">Value</th>}
              {columns.map((column) => (
                <th key={column} scope="col">
                  <bdi>{showName(column)}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((child, i) => (
              <tr key={child.start}>
                <th scope="row">
                  <bdi>{child.name === undefined ? i : showName(child.name)}</bdi>
                </th>
                <Cells text={text} child={child} columns={columns} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {children.length > shown.value && (
        <Button
          onClick={() => {
            shown.value += 10 * SHOWN_ROWS;
          }}
        >
          Show more: {printCount(children.length - shown.value)} are left
        </Button>
      )}
    </div>
  );
}

interface CellsProps {
  readonly text: string;
  readonly child: JsonChild;
  readonly columns: readonly string[];
}

function Cells({ child, columns, text }: CellsProps) {
  if (columns.length === 0) {
    return (
      <td class="mono">
        <JsonScalar text={text.slice(child.start, child.end)} />
      </td>
    );
  }
  const isObject = text[child.start] === '{';
  const members = new Map(
    (isObject ? childrenOf(text, child.start) : []).map((member) => [member.name, member]),
  );
  return (
    <>
      {columns.map((column) => {
        const member = members.get(column);
        return (
          <td key={column} class="mono">
            {member !== undefined && <JsonScalar text={text.slice(member.start, member.end)} />}
          </td>
        );
      })}
    </>
  );
}

/** Member names of the objects of a list; none if an element is not an object. */
function columnsOf(text: string, rows: readonly JsonChild[]): readonly string[] {
  const names = new Set<string>();
  for (const row of rows) {
    if (text[row.start] !== '{') return [];
    for (const { name } of childrenOf(text, row.start)) if (name !== undefined) names.add(name);
    if (names.size >= MAX_COLUMNS) break;
  }
  return [...names].slice(0, MAX_COLUMNS);
}
