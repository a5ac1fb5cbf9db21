// Asks before something is destroyed, and names it. Where much is lost, the name
// has to be typed.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Input } from './field.tsx';
import { ErrorNotice } from './notice.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly action: string;
  /** What is lost. */
  readonly children: ComponentChildren;
  /** Must be typed before the action is offered. */
  readonly nameToType?: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

export function ConfirmDialog(props: ConfirmProps) {
  const { action, children, nameToType, onClose, onConfirm, title } = props;
  const typed = useSignal('');
  const isBusy = useSignal(false);
  const failure = useSignal<unknown>(undefined);
  const isReady = !isBusy.value && (nameToType === undefined || typed.value === nameToType);
  const confirm = async (): Promise<void> => {
    if (!isReady) return;
    isBusy.value = true;
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      failure.value = error;
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void confirm()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="danger" disabled={!isReady}>
            {action}
          </Button>
        </>
      }
    >
      <div>{children}</div>
      {nameToType !== undefined && (
        <Input
          label={`Type ${nameToType} to confirm`}
          value={typed.value}
          onInput={(value) => {
            typed.value = value;
          }}
          isMono
          hasFocus
        />
      )}
      {failure.value !== undefined && <ErrorNotice error={failure.value} />}
    </Dialog>
  );
}
