// The keys of a region as a list that scrolls from the first to the last.

import { useSignal } from '@preact/signals';
import { useCallback, useEffect } from 'preact/hooks';
import { reconnections } from '../../api/connection.ts';
import { findRegion, regions } from '../../api/regions.ts';
import { call } from '../../api/session.ts';
import { hrefOf } from '../../app/router.ts';
import { mayDiscardEdit } from '../../app/unsaved-edit.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/notice.tsx';
import { EmptyState, Skeleton } from '../../design/small-parts.tsx';
import { VirtualList } from '../../design/virtual-list.tsx';
import { showHidden } from '../../json/json-text.ts';
import { type Filter, openRows } from './read-rows.ts';
import { BLOCK, type Row, RowWindow } from './row-window.ts';

interface KeyListProps {
  readonly region: string;
  readonly filter: Filter;
  readonly selectedKey: string | undefined;
  readonly onSelect: (key: string) => void;
  /** Undefined if the login may not write. */
  readonly onNew: (() => void) | undefined;
  /** Incremented when entries were created or deleted here. */
  readonly changes: number;
}

const ROW_HEIGHT = 44;

export function KeyList(props: KeyListProps) {
  const { changes, filter, onNew, onSelect, region, selectedKey } = props;
  const window = useSignal<RowWindow | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const drawn = useSignal(0);
  const selected = useSignal<number | undefined>(undefined);
  /** The row to open when it is loaded: a key such as End may lead beyond the loaded rows. */
  const awaited = useSignal<number | undefined>(undefined);
  const attempt = useSignal(0);
  const { prefix, where } = filter;
  useEffect(() => {
    let isOver = false;
    failure.value = undefined;
    awaited.value = undefined;
    openWindow(region, { prefix, where }, () => {
      drawn.value += 1;
    }).then(
      (opened) => {
        if (isOver) opened.close();
        else window.value = opened;
      },
      (error: unknown) => {
        if (!isOver) failure.value = error;
      },
    );
    return () => {
      isOver = true;
      window.value?.close();
    };
  }, [region, prefix, where, changes, attempt.value]);
  const rows = window.value;
  const onShow = useCallback((first: number, last: number) => rows?.show(first, last), [rows]);
  // Rows that arrive are drawn.
  void drawn.value;
  const problem = failure.value ?? rows?.failure;
  const outages = reconnections.value;
  useEffect(() => {
    if (problem !== undefined) attempt.value += 1;
  }, [outages]);
  const select = async (index: number): Promise<void> => {
    const key = rows?.row(index)?.key;
    awaited.value = key === undefined ? index : undefined;
    if (key === undefined) return;
    // A user who stays with the open entry also keeps its place in the list.
    if (key !== selectedKey && !(await mayDiscardEdit())) return;
    selected.value = index;
    onSelect(key);
  };
  useEffect(() => {
    const index = awaited.value;
    if (index !== undefined && rows?.row(index) !== undefined) void select(index);
  });
  if (problem !== undefined) {
    const again = (): void => {
      attempt.value += 1;
    };
    return (
      <div class="entries-note">
        <ErrorNotice error={problem} action={<Button onClick={again}>Try again</Button>} />
      </div>
    );
  }
  if (rows === undefined) return null;
  if (rows.total === 0) return <NoEntries region={region} filter={filter} onNew={onNew} />;
  return (
    <VirtualList
      label={`Keys of ${region}`}
      count={rows.total}
      rowHeight={ROW_HEIGHT}
      selected={awaited.value ?? rows.indexOf(selectedKey) ?? selected.value}
      onShow={onShow}
      onSelect={(index) => void select(index)}
      row={(index) => <KeyRow row={rows.row(index)} selectedKey={selectedKey} />}
    />
  );
}

interface KeyRowProps {
  readonly row: Row | undefined;
  readonly selectedKey: string | undefined;
}

function KeyRow({ row, selectedKey }: KeyRowProps) {
  if (row === undefined) {
    return (
      <div class="key-row">
        <Skeleton width="8rem" />
      </div>
    );
  }
  return (
    <div class={row.key === selectedKey ? 'key-row key-row-selected' : 'key-row'}>
      <bdi class="key-name">{showHidden(row.key)}</bdi>
      {row.preview !== undefined && <bdi class="key-preview">{showHidden(row.preview)}</bdi>}
    </div>
  );
}

type NoEntriesProps = Pick<KeyListProps, 'region' | 'filter' | 'onNew'>;

function NoEntries({ filter: { prefix, where }, onNew, region }: NoEntriesProps) {
  const type = regions.value?.find(({ name }) => name === region)?.type;
  if (type === 'EMPTY') {
    return (
      <EmptyState icon="table" title="This region keeps no entries">
        A region of type EMPTY accepts writes and reports them as changes, but stores nothing.
      </EmptyState>
    );
  }
  return (prefix ?? where) !== undefined ? (
    <EmptyState icon="filter" title="No entry matches">
      Change the filter, or clear it to see all entries.
    </EmptyState>
  ) : (
    <EmptyState
      icon="table"
      title="This region is empty"
      action={
        onNew !== undefined && (
          <div class="buttons">
            <Button kind="primary" icon="plus" onClick={onNew}>
              Create an entry
            </Button>
            <LinkButton href={hrefOf({ screen: 'transfer', parameters: { region } })}>
              Import a file
            </LinkButton>
          </div>
        )
      }
    >
      An entry is a JSON document under a key.
    </EmptyState>
  );
}

async function openWindow(
  region: string,
  filter: Filter,
  onChange: () => void,
): Promise<RowWindow> {
  const { bytes, entryCount } = (await findRegion(region)) ?? {};
  const average = bytes === undefined || !entryCount ? undefined : bytes / entryCount;
  const { read, total } = await call((client) => openRows(client, region, filter, average));
  const tracked: typeof read = (request) => call(() => read(request));
  if (total !== undefined) return new RowWindow(tracked, total, onChange);
  // The number of matches is unknown before they are read.
  const window = new RowWindow(tracked, 1, onChange);
  const first = await tracked({
    after: undefined,
    order: 'asc',
    limit: BLOCK,
    want: 'rows',
    signal: new AbortController().signal,
  });
  return first.rows.length === 0 ? new RowWindow(tracked, 0, onChange) : window;
}
