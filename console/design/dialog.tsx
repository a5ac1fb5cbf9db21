// A modal dialog on the browser's own <dialog>: it traps the focus, closes on Escape and restores
// the focus.

import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly size?: 'normal' | 'wide';
  readonly children: ComponentChildren;
  /** Buttons, the main one last. */
  readonly actions?: ComponentChildren;
  /** Makes the dialog a form: Enter in a field calls it. */
  readonly onSubmit?: () => void;
}

/** Open as long as it is rendered. */
export function Dialog({ actions, children, onClose, onSubmit, size, title }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={size === 'wide' ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit?.();
        }}
      >
        <header class="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <Button kind="quiet" icon="close" label="Close" onClick={onClose} />
        </header>
        <div class="dialog-body">{children}</div>
        {actions !== undefined && <footer class="dialog-actions">{actions}</footer>}
      </form>
    </dialog>
  );
}
