// Saves the query under a name. The text is compiled first.

import { useSignal } from '@preact/signals';
import { call } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Input } from '../../design/field.tsx';
import { ErrorNotice, Notice } from '../../design/notice.tsx';
import { showToast } from '../../design/toasts.tsx';
import { changeTab, type QueryTab } from './tabs.ts';

interface SaveDialogProps {
  readonly tab: QueryTab;
  readonly onClose: () => void;
}

export function SaveDialog({ onClose, tab }: SaveDialogProps) {
  const id = useSignal(tab.savedAs ?? '');
  const isTaken = useSignal(false);
  const failure = useSignal<unknown>(undefined);
  const save = async (overwrite: boolean): Promise<void> => {
    const query = { id: id.value.trim(), oql: tab.text };
    if (query.id === '') return;
    failure.value = undefined;
    try {
      const isOwn = overwrite || query.id === tab.savedAs;
      const outcome = await call(async ({ queries }) => {
        if (!isOwn) return queries.create(query, { check: true });
        await queries.update(query, { check: true });
        return 'created';
      });
      if (outcome === 'exists') {
        isTaken.value = true;
        return;
      }
      changeTab({ savedAs: query.id });
      showToast(`Saved as ${query.id}`);
      onClose();
    } catch (error) {
      failure.value = error;
    }
  };
  return (
    <Dialog
      title="Save as a named query"
      onClose={onClose}
      onSubmit={() => void save(isTaken.value)}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind={isTaken.value ? 'danger' : 'primary'}>
            {isTaken.value ? 'Overwrite' : 'Save'}
          </Button>
        </>
      }
    >
      <Input
        label="Name"
        hint="Clients call it by this name."
        value={id.value}
        isMono
        hasFocus
        onInput={(value) => {
          id.value = value;
          isTaken.value = false;
        }}
      />
      {isTaken.value && (
        <Notice kind="warning">
          There is a named query {id.value} already. Saving replaces its text for all its callers.
        </Notice>
      )}
      {failure.value !== undefined && <ErrorNotice error={failure.value} />}
    </Dialog>
  );
}
