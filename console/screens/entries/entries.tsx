// The entries of a region: keys on the left, the chosen entry on the right.

import { useSignal } from '@preact/signals';
import type { ComponentProps } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { may } from '../../api/session.ts';
import type { RegionScreenProps } from '../../app/router.ts';
import { navigate } from '../../app/router.ts';
import { useCommands } from '../../app/use-commands.ts';
import { focusIfLost } from '../../design/lost-focus.ts';
import { EmptyState } from '../../design/small-parts.tsx';
import { SplitPane } from '../../design/split-pane.tsx';
import './entries.css';
import { EntryPane } from './entry-pane.tsx';
import { definedOf, FilterBar } from './filter-bar.tsx';
import { KeyList } from './key-list.tsx';
import { KeyTree } from './key-tree.tsx';
import { NewEntryDialog } from './new-entry-dialog.tsx';
import type { ListState } from './read-rows.ts';

export function Entries({ parameters, region }: RegionScreenProps) {
  /** Incremented when entries were created or deleted here. */
  const changes = useSignal(0);
  /** The value that a new entry begins with. */
  const draft = useSignal<string | undefined>(undefined);
  const key = parameters.get('key') ?? undefined;
  const filter = filterOf(parameters);
  const mayWrite = may(['DATA', 'WRITE', region]);
  const onNew = mayWrite ? () => startNew() : undefined;
  const show = (next: ListState & { readonly key?: string | undefined }): void =>
    navigate({ screen: 'entries', region, parameters: definedOf({ ...next }) });
  const startNew = (value = '{}'): void => {
    draft.value = value;
  };
  const refresh = (): void => {
    changes.value += 1;
  };
  useNewCommand(region, mayWrite, startNew);
  useFocusAfterEntry(key, changes.value);
  const list = (
    <>
      <FilterBar
        key={region}
        region={region}
        filter={filter}
        onOpenKey={(wanted) => show({ ...filter, key: wanted })}
        onNew={onNew}
      />
      <Keys
        region={region}
        filter={filter}
        selectedKey={key}
        changes={changes.value}
        onSelect={(wanted) => show({ ...filter, key: wanted })}
        onNew={onNew}
        onList={(prefix) => show({ prefix, key })}
      />
    </>
  );
  const chosen = key !== undefined && (
    <EntryPane
      key={`${region}/${key}`}
      region={region}
      entryKey={key}
      onClose={() => show(filter)}
      onDuplicate={startNew}
      onListChange={refresh}
    />
  );
  return (
    <>
      <SplitPane
        label="Width of the list"
        narrow={key === undefined ? 'first' : 'second'}
        start={40}
        first={list}
        second={chosen || <NothingChosen />}
      />
      {draft.value !== undefined && (
        <NewEntryDialog
          region={region}
          value={draft.value}
          onClose={() => (draft.value = undefined)}
          onCreated={(created) => {
            refresh();
            show({ key: created });
          }}
        />
      )}
    </>
  );
}

function useNewCommand(region: string, mayWrite: boolean, start: () => void): void {
  useCommands(
    mayWrite ? [{ title: 'New entry', group: region, icon: 'plus', run: () => start() }] : [],
    [region, mayWrite],
  );
}

/** Moves the focus from a closed entry to its key, and from a deleted one to the list. */
function useFocusAfterEntry(key: string | undefined, changes: number): void {
  const before = useRef({ key, changes });
  useEffect(() => {
    const last = before.current;
    before.current = { key, changes };
    if (key !== undefined || last.key === undefined) return;
    focusIfLost(findPlaceOf(last.key, changes === last.changes));
  }, [key]);
}

function findPlaceOf(key: string, isThere: boolean): HTMLElement | null {
  const list = document.querySelector<HTMLElement>('.split-first [role=listbox]');
  const leaf = document.querySelector<HTMLElement>(`.key-tree-leaf[data-key="${CSS.escape(key)}"]`);
  return list ?? (isThere ? leaf : null) ?? document.querySelector('.filter-bar input');
}

interface KeysProps extends ComponentProps<typeof KeyList> {
  readonly filter: ListState;
  readonly onList: (prefix: string) => void;
}

/** A condition has no tree, because its keys are only found by scanning. */
function Keys({ onList, ...props }: KeysProps) {
  const { filter, region } = props;
  if (!may(['DATA', 'READ', region])) {
    return (
      <EmptyState icon="lock" title="Your login may read single keys only">
        Filter by “Key” to open one of them.
      </EmptyState>
    );
  }
  if (filter.view !== 'tree' || filter.where !== undefined) return <KeyList {...props} />;
  return <KeyTree {...props} key={region} prefix={filter.prefix ?? ''} onList={onList} />;
}

function filterOf(parameters: URLSearchParams): ListState {
  return {
    prefix: parameters.get('prefix') ?? undefined,
    where: parameters.get('where') ?? undefined,
    view: parameters.get('view') === 'tree' ? 'tree' : undefined,
  };
}

function NothingChosen() {
  return (
    <EmptyState icon="table" title="Choose an entry">
      Its value is shown here, as a tree, as text or as a table.
    </EmptyState>
  );
}
