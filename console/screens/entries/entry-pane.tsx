// One entry: its value and facts, and an editor for it. A change is reviewed before it is saved,
// and saved only if the entry was not changed since.

import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Entry, texts } from '../../../src/client/index.ts';
import { loadRegions, regions } from '../../api/regions.ts';
import { useResource } from '../../api/resource.ts';
import { call, may } from '../../api/session.ts';
import { findEdit } from '../../app/unsaved-edit.ts';
import { Button } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/confirm-dialog.tsx';
import { focusIfLost } from '../../design/lost-focus.ts';
import { ErrorNotice } from '../../design/notice.tsx';
import { printBytes, printCount, printTime } from '../../design/print-numbers.ts';
import { EmptyState, Skeleton } from '../../design/small-parts.tsx';
import { showError, showToast } from '../../design/toasts.tsx';
import { showHidden } from '../../json/json-text.ts';
import { EntryEditor, secondsUntil } from './entry-editor.tsx';
import { EntryHistory } from './entry-history.tsx';
import { ValueView } from './value-view.tsx';

interface EntryPaneProps {
  readonly region: string;
  readonly entryKey: string;
  readonly onClose: () => void;
  readonly onDuplicate: (value: string) => void;
  /** Called after it was created or deleted. */
  readonly onListChange: () => void;
}

/** An editor of the whole text would be slow with more. */
const LARGEST_EDITED = 1_000_000;

type Mode = 'value' | 'edit' | 'history';

export function EntryPane(props: EntryPaneProps) {
  const { entryKey, onClose, region } = props;
  const unsaved = findEdit(region, entryKey);
  const mode = useSignal<Mode>(unsaved === undefined ? 'value' : 'edit');
  const pane = useFocusAfter(mode.value);
  const { reload, state } = useResource(
    (client, signal) => client.region(region, texts).get(entryKey, { signal }).then(found),
    [region, entryKey],
  );
  const loaded = state.value;
  const entry = loaded.value?.entry;
  // An edit stays open if the entry is deleted meanwhile.
  const edited = mode.value === 'edit' ? (entry ?? unsaved?.base) : undefined;
  const show = (): void => {
    mode.value = 'value';
  };
  const done = (): void => {
    show();
    void reload();
  };
  const isLoaded = loaded.kind === 'loaded';
  return (
    <section ref={pane} class="entry-pane" aria-label={`Entry ${entryKey}`}>
      <header class="entry-head">
        <div class="entry-title">
          <h2 title={showHidden(entryKey)}>
            <bdi>{showHidden(entryKey)}</bdi>
          </h2>
          {(!isLoaded || entry !== undefined) && <EntryFacts entry={entry} />}
        </div>
        {isLoaded && mode.value === 'value' && keepsHistory(region) && (
          <Button icon="history" label="History" onClick={() => (mode.value = 'history')} />
        )}
        {entry !== undefined && mode.value === 'value' && (
          <EntryActions {...props} entry={entry} onEdit={() => (mode.value = 'edit')} />
        )}
        <Button kind="quiet" icon="close" label="Close the entry" onClick={onClose} />
      </header>
      {loaded.kind === 'failed' && (
        <div class="entries-note">
          <ErrorNotice
            error={loaded.error}
            action={<Button onClick={() => void reload()}>Try again</Button>}
          />
        </div>
      )}
      {isLoaded && mode.value === 'history' && (
        <EntryHistory
          region={region}
          entryKey={entryKey}
          entry={entry}
          onClose={show}
          onRestored={() => {
            void reload();
            if (entry === undefined) props.onListChange();
          }}
        />
      )}
      {isLoaded && (entry ?? edited) === undefined && mode.value !== 'history' && (
        <EmptyState icon="search" title="There is no entry with this key">
          It may have been deleted, or never existed.
        </EmptyState>
      )}
      {isLoaded && edited !== undefined && (
        <EntryEditor region={region} entry={edited} onDone={done} />
      )}
      {entry !== undefined && mode.value === 'value' && (
        <ValueView key={`${entry.key} ${entry.version}`} text={entry.value} />
      )}
    </section>
  );
}

/** After an edit, and after the history, the button that opened it gets the focus. */
function useFocusAfter(mode: Mode): RefObject<HTMLElement | null> {
  const pane = useRef<HTMLElement>(null);
  const before = useRef(mode);
  useEffect(() => {
    const opener = before.current === 'edit' ? '.entry-actions button' : 'header button';
    const isClosed = mode === 'value' && before.current !== 'value';
    before.current = mode;
    if (isClosed) focusIfLost(pane.current?.querySelector<HTMLElement>(opener));
  }, [mode]);
  return pane;
}

/** A resource is undefined while it loads, so the result is wrapped. */
function found(entry: Entry<string> | undefined): { readonly entry: Entry<string> | undefined } {
  return { entry };
}

/** Also true if the login may not see the settings of the region: then the service decides. */
function keepsHistory(region: string): boolean {
  const known = regions.value?.find(({ name }) => name === region);
  return known?.entryCount === undefined || known.settings?.history != null;
}

function EntryFacts({ entry }: { readonly entry: Entry<string> | undefined }) {
  if (entry === undefined) return <Skeleton width="10rem" />;
  return (
    <p class="quiet">
      Version {printCount(entry.version)} · {printBytes(new Blob([entry.value]).size)}
      {entry.expires !== undefined && ` · expires ${printTime(entry.expires)}`}
    </p>
  );
}

interface EntryActionsProps extends EntryPaneProps {
  readonly entry: Entry<string>;
  readonly onEdit: () => void;
}

function EntryActions(props: EntryActionsProps) {
  const { entry, onClose, onDuplicate, onEdit, onListChange, region } = props;
  const isDeleting = useSignal(false);
  if (!may(['DATA', 'WRITE', region, entry.key])) return null;
  const remove = async (): Promise<void> => {
    await call((client) =>
      client.region(region, texts).remove(entry.key, { ifVersion: entry.version }),
    );
    showToast(`${showHidden(entry.key)} was deleted.`, {
      title: 'Undo',
      run: () => void restore(region, entry, onListChange),
    });
    onClose();
    onListChange();
    await loadRegions();
  };
  const isTooLarge = entry.value.length > LARGEST_EDITED;
  return (
    <div class="entry-actions">
      <Button
        icon="edit"
        onClick={onEdit}
        disabled={isTooLarge}
        {...(isTooLarge ? { label: 'Too large to be edited here' } : {})}
      >
        Edit
      </Button>
      {may(['DATA', 'WRITE', region]) && (
        <Button icon="copy" label="Duplicate" onClick={() => onDuplicate(entry.value)} />
      )}
      <Button icon="trash" label="Delete" onClick={() => (isDeleting.value = true)} />
      {isDeleting.value && (
        <ConfirmDialog
          title="Delete this entry?"
          action="Delete"
          onConfirm={remove}
          onClose={() => (isDeleting.value = false)}
        >
          <p>
            This deletes <bdi class="mono">{showHidden(entry.key)}</bdi> of region {region}, if
            version {printCount(entry.version)} is still the current one.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

async function restore(
  region: string,
  { expires, key, value }: Entry<string>,
  onListChange: () => void,
): Promise<void> {
  try {
    const ttl = expires && secondsUntil(expires);
    await call((client) => client.region(region, texts).create(key, value, { ttl }));
    showToast(`${showHidden(key)} was restored.`);
    onListChange();
    await loadRegions();
  } catch (error) {
    showError(error);
  }
}
