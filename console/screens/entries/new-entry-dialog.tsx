// Makes an entry, from nothing or as a copy of another.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { texts } from '../../../src/client/index.ts';
import { loadRegions } from '../../api/regions.ts';
import { call } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Input } from '../../design/field.tsx';
import { ErrorNotice } from '../../design/notice.tsx';
import { showToast } from '../../design/toasts.tsx';
import { indentJson, showHidden } from '../../json/json-text.ts';
import { findProblem } from './entry-editor.tsx';

interface NewEntryDialogProps {
  readonly region: string;
  /** Compact or indented JSON. */
  readonly value: string;
  readonly onClose: () => void;
  readonly onCreated: (key: string) => void;
}

type Tools = typeof import('./json-editor.tsx');

export function NewEntryDialog({ onClose, onCreated, region, value }: NewEntryDialogProps) {
  const key = useSignal('');
  const text = useSignal(indentJson(value));
  const failure = useSignal<unknown>(undefined);
  const tools = useSignal<Tools | undefined>(undefined);
  useEffect(() => {
    import('./json-editor.tsx').then(
      (loaded) => {
        tools.value = loaded;
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
  }, []);
  const problem = findProblem(text.value);
  const create = async (): Promise<void> => {
    if (problem !== undefined) return;
    try {
      const written = await call((client) => {
        const entries = client.region(region, texts);
        return key.value === '' ? entries.add(text.value) : entries.create(key.value, text.value);
      });
      showToast(`${showHidden(written.key)} was created.`);
      onClose();
      onCreated(written.key);
      await loadRegions();
    } catch (error) {
      failure.value = error;
    }
  };
  const Editor = tools.value?.JsonEditor;
  return (
    <Dialog
      title={`New entry of ${region}`}
      size="wide"
      onClose={onClose}
      onSubmit={() => void create()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={problem !== undefined}>
            Create
          </Button>
        </>
      }
    >
      <Input
        label="Key"
        hint="Left empty, the service makes one."
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
      {failure.value !== undefined && <ErrorNotice error={failure.value} />}
    </Dialog>
  );
}
