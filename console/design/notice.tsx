// A message that stays until its cause is resolved: a failure with its code and hint, a warning, a
// lost connection.

import type { ComponentChildren } from 'preact';
import { ClientError, RefusedError } from '../../src/client/index.ts';
import { Icon, type IconName } from './icon.tsx';

interface NoticeProps {
  readonly kind?: 'plain' | 'warning' | 'danger';
  readonly icon?: IconName;
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
}

export function Notice({ action, children, icon = 'warning', kind = 'plain' }: NoticeProps) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'danger' ? 'alert' : 'status'}>
      <Icon name={icon} />
      <div class="notice-body">{children}</div>
      {action}
    </div>
  );
}

interface ErrorNoticeProps {
  readonly error: unknown;
  readonly action?: ComponentChildren;
}

/** A failure with the message of the service. */
export function ErrorNotice({ action, error }: ErrorNoticeProps) {
  const hint = error instanceof RefusedError ? error.hint : undefined;
  const code = error instanceof ClientError ? error.code : undefined;
  // An error in a query has its line and a caret below the position.
  const [first = '', ...source] = printError(error).split('\n');
  const isHintShown = hint === undefined || source.some((line) => line.includes(hint));
  return (
    <Notice kind="danger" action={action}>
      <p>{first}</p>
      {source.length > 0 && <pre class="notice-source">{source.join('\n')}</pre>}
      {!isHintShown && <p>{hint.charAt(0).toUpperCase() + hint.slice(1)}</p>}
      {code !== undefined && <p class="mono">{code}</p>}
    </Notice>
  );
}

export function printError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
