// Short messages about completed actions, in a corner of the window.

import { signal } from '@preact/signals';
import { Button } from './button.tsx';
import { printError } from './notice.tsx';

interface Toast {
  readonly id: number;
  readonly kind: 'ok' | 'danger';
  readonly text: string;
  readonly action: ToastAction | undefined;
}

interface ToastAction {
  readonly title: string;
  readonly run: () => void;
}

const SHOWN_MS = 6000;

const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

/** Disappears after a while; one with an action stays twice as long. */
export function showToast(text: string, action?: ToastAction): void {
  const id = add({ kind: 'ok', text, action });
  setTimeout(() => dismiss(id), action === undefined ? SHOWN_MS : 2 * SHOWN_MS);
}

/** Stays until it is dismissed. */
export function showError(error: unknown): void {
  add({ kind: 'danger', text: printError(error), action: undefined });
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ action, id, kind, text }) => (
        <div key={id} class={`toast toast-${kind}`}>
          <span class="toast-text">{text}</span>
          {action !== undefined && (
            <Button
              size="small"
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.title}
            </Button>
          )}
          <Button
            kind="quiet"
            size="small"
            icon="close"
            label="Dismiss"
            onClick={() => dismiss(id)}
          />
        </div>
      ))}
    </div>
  );
}

function add(toast: Omit<Toast, 'id'>): number {
  lastId += 1;
  toasts.value = [...toasts.value.slice(-3), { ...toast, id: lastId }];
  return lastId;
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
