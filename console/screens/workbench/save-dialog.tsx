// Saves the query under a name. The text is compiled first.

import { useSignal } from '@preact/signals';
import { call } from '../../api/session.ts';
import { Input } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { Notice } from '../../design/notice.tsx';
import { showToast } from '../../design/toasts.tsx';
import { changeTab, type QueryTab } from './tabs.ts';

interface SaveDialogProps {
  readonly tab: QueryTab;
  readonly onClose: () => void;
}

export function SaveDialog({ onClose, tab }: SaveDialogProps) {
  const id = useSignal(tab.savedAs ?? '');
  const isTaken = useSignal(false);
  const save = async (): Promise<'stay' | undefined> => {
    const query = { id: id.value.trim(), oql: tab.text };
    const isOwn = isTaken.value || query.id === tab.savedAs;
    const outcome = await call(async ({ queries }) => {
      if (!isOwn) return queries.create(query, { check: true });
      await queries.update(query, { check: true });
      return 'created';
    });
    if (outcome === 'exists') {
      isTaken.value = true;
      return 'stay';
    }
    changeTab({ savedAs: query.id });
    showToast(`Saved as ${query.id}`);
    return undefined;
  };
  return (
    <FormDialog
      title="Save as a named query"
      action={isTaken.value ? 'Overwrite' : 'Save'}
      kind={isTaken.value ? 'danger' : 'primary'}
      isReady={id.value.trim() !== ''}
      onSubmit={save}
      onClose={onClose}
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
    </FormDialog>
  );
}
