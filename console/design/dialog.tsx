// A modal dialog on the browser's own <dialog>: it traps the focus, closes on Escape and restores
// the focus.

import type { ComponentChildren, RefObject } from 'preact';
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
  useModal(dialog);
  return (
    <dialog
      ref={dialog}
      class={size === 'wide' ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={titleId}
      {...closedBy(onClose)}
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

/** Handlers of a dialog that closes only when the page removes it: the browser would report it late. */
export function closedBy(onClose: () => void): {
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onCancel: (event: Event) => void;
} {
  const close = (event: Event): void => {
    event.preventDefault();
    onClose();
  };
  return {
    // A browser lets a page refuse its own handling of Escape only once.
    onKeyDown: (event) => {
      if (event.key === 'Escape' && !event.defaultPrevented) close(event);
    },
    onCancel: close,
  };
}

/** Opens the dialog while it is rendered; then the element that had the focus gets it back. */
export function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
  useEffect(() => {
    const element = dialog.current;
    const before = findFocused(document);
    element?.showModal();
    return () => {
      element?.close();
      // The browser does not restore it once the dialog was removed.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
}

/** Also inside a shadow root, as that of an editor. */
function findFocused({ activeElement }: DocumentOrShadowRoot): Element | null {
  const inside = activeElement?.shadowRoot;
  return inside?.activeElement == null ? activeElement : findFocused(inside);
}
