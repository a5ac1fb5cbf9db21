// Parts too small for a file each: badge, empty state, skeleton.

import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface BadgeProps {
  readonly kind?: 'plain' | 'ok' | 'warning' | 'danger' | 'accent';
  readonly children: ComponentChildren;
}

export function Badge({ children, kind = 'plain' }: BadgeProps) {
  return <span class={`badge badge-${kind}`}>{children}</span>;
}

interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  /** The missing content, and how to create it. */
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
  /** `page`: nothing else is on the page. */
  readonly place?: 'page' | 'section';
}

export function EmptyState({ action, children, icon, place, title }: EmptyStateProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      {place === 'page' ? <h1 class="empty-title">{title}</h1> : <h2>{title}</h2>}
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  );
}

/** A placeholder of the size of the loading content, so that nothing jumps. */
export function Skeleton({ width }: { readonly width: string }) {
  return <span class="skeleton" style={{ width }} aria-hidden="true" />;
}
