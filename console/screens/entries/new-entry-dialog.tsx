// Creates an entry, empty or as a copy of another.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { texts } from '../../../src/client/index.ts';
import { loadRegions } from '../../api/regions.ts';
import { call } from '../../api/session.ts';
import { mayDiscardForm, storeForm } from '../../app/unsaved-edit.ts';
import { Input } from '../../design/field.tsx';
import { FormDialog } from '../../design/form-dialog.tsx';
import { ErrorNotice } from '../../design/notice.tsx';
import { showToast } from '../../design/toasts.tsx';
import { indentJson, showHidden } from '../../json/json-text.ts';
import { findProblem } from './entry-editor.tsx';
import { useJsonTools } from './use-json-tools.ts';

interface NewEntryDialogProps {
  readonly region: string;
  /** Compact or indented JSON. */
  readonly value: string;
  readonly onClose: () => void;
  readonly onCreated: (key: string) => void;
}

export function NewEntryDialog({ onClose, onCreated, region, value }: NewEntryDialogProps) {
  const key = useSignal('');
  const text = useSignal(indentJson(value));
  const { failure, tools } = useJsonTools();
  const problem = findProblem(text.value);
  const store = (): void => {
    const isFilled = key.value !== '' || text.value !== indentJson(value);
    storeForm(isFilled ? region : undefined);
  };
  useEffect(store, [key.value, text.value]);
  useEffect(() => () => storeForm(undefined), []);
  const close = async (): Promise<void> => {
    // The effect may not have run yet.
    store();
    if (await mayDiscardForm()) onClose();
  };
  const create = async (): Promise<'stay'> => {
    const written = await call((client) => {
      const entries = client.region(region, texts);
      return key.value === '' ? entries.add(text.value) : entries.create(key.value, text.value);
    });
    storeForm(undefined);
    showToast(`${showHidden(written.key)} was created.`);
    onCreated(written.key);
    // The entry exists, even if reloading the counts fails.
    void loadRegions();
    // Without the question: nothing is dropped.
    onClose();
    return 'stay';
  };
  const Editor = tools?.JsonEditor;
  return (
    <FormDialog
      title={`New entry of ${region}`}
      size="wide"
      action="Create"
      isReady={problem === undefined}
      onSubmit={create}
      onClose={() => void close()}
    >
      <Input
        label="Key"
        hint="Without a key, the service makes one."
        value={key.value}
        isMono
        hasFocus
        onInput={(typed) => {
          key.value = typed;
        }}
      />
      <div class="field">
        <span class="field-label">Value</span>
        <div class="editor-frame new-entry-frame">
          {Editor !== undefined && (
            <Editor
              label="Value"
              text={text.value}
              document="new"
              onChange={(typed) => {
                text.value = typed;
              }}
            />
          )}
        </div>
        {problem !== undefined && <span class="field-error">{problem}</span>}
      </div>
      {failure !== undefined && <ErrorNotice error={failure} />}
    </FormDialog>
  );
}
