// Confirms a destructive action, and names its target. For large losses the name must be typed.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Input } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly action: string;
  /** The data that will be lost. */
  readonly children: ComponentChildren;
  /** Must be typed before the action is offered. */
  readonly nameToType?: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

export function ConfirmDialog(props: ConfirmProps) {
  const { action, children, nameToType, onClose, onConfirm, title } = props;
  const typed = useSignal('');
  const confirm = async (): Promise<undefined> => {
    await onConfirm();
  };
  return (
    <FormDialog
      title={title}
      action={action}
      kind="danger"
      isReady={nameToType === undefined || typed.value === nameToType}
      onSubmit={confirm}
      onClose={onClose}
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
    </FormDialog>
  );
}
