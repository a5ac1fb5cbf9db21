// A dialog with one action: Enter in a field runs it too, a failure is shown inside, and success
// closes the dialog.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNotice } from './notice.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly size?: 'normal' | 'wide';
  /** The label of the button. */
  readonly action: string;
  readonly kind?: 'primary' | 'danger';
  /** Whether all required fields are filled in. */
  readonly isReady?: boolean;
  /** `stay`: the dialog stays open. */
  readonly onSubmit: () => Promise<'stay' | undefined>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function FormDialog(props: FormDialogProps) {
  const { action, children, isReady = true, kind = 'primary', onClose, onSubmit } = props;
  const isBusy = useSignal(false);
  const failure = useSignal<unknown>(undefined);
  const submit = async (): Promise<void> => {
    if (isBusy.value || !isReady) return;
    isBusy.value = true;
    failure.value = undefined;
    try {
      if ((await onSubmit()) !== 'stay') onClose();
    } catch (error) {
      failure.value = error;
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <Dialog
      title={props.title}
      {...(props.size === undefined ? {} : { size: props.size })}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind={kind} disabled={isBusy.value || !isReady}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {failure.value !== undefined && <ErrorNotice error={failure.value} />}
    </Dialog>
  );
}
