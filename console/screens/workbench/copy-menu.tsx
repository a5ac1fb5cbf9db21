// Copies the query as a command or as code.

import { useSignal } from '@preact/signals';
import { serviceUrl } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Segments } from '../../design/field.tsx';
import { showError, showToast } from '../../design/toasts.tsx';
import { CodeBlock } from './code-block.tsx';
import { type CopyForm, copyAs } from './copy-as.ts';
import { toParameters } from './parameters.ts';
import { findPlaceholders } from './placeholders.ts';
import type { QueryTab } from './tabs.ts';

const FORMS: readonly { readonly value: CopyForm; readonly title: string }[] = [
  { value: 'curl', title: 'curl' },
  { value: 'fetch', title: 'fetch' },
  { value: 'typescript', title: 'TypeScript' },
];

export function CopyMenu({ tab }: { readonly tab: QueryTab }) {
  const isOpen = useSignal(false);
  const form = useSignal<CopyForm>('curl');
  const close = (): void => {
    isOpen.value = false;
  };
  const parameters = toParameters(findPlaceholders(tab.text), tab.values);
  const code = copyAs(form.value, { url: serviceUrl, text: tab.text, parameters });
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(code);
      showToast('Copied');
      close();
    } catch (error) {
      showError(error);
    }
  };
  return (
    <>
      <Button
        kind="quiet"
        icon="copy"
        disabled={tab.text.trim() === ''}
        onClick={() => {
          isOpen.value = true;
        }}
      >
        Copy as
      </Button>
      {isOpen.value && (
        <Dialog
          title="Copy the query"
          size="wide"
          onClose={close}
          actions={
            <Button kind="primary" icon="copy" onClick={() => void copy()}>
              Copy
            </Button>
          }
        >
          <Segments
            label="Form"
            value={form.value}
            options={FORMS}
            onChange={(next) => {
              form.value = next;
            }}
          />
          <CodeBlock text={code} />
        </Dialog>
      )}
    </>
  );
}
