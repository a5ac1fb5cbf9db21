// A button, or a link that looks like one.

import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

type Kind = 'plain' | 'primary' | 'danger' | 'quiet';

interface Look {
  readonly kind?: Kind;
  readonly size?: 'normal' | 'small';
  readonly icon?: IconName;
  /** Needed where there is no text: screen readers read it, and it is shown as a tip. */
  readonly label?: string;
  readonly children?: ComponentChildren;
}

interface ButtonProps extends Look {
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  readonly onClick?: (event: MouseEvent) => void;
  readonly isPressed?: boolean;
}

export function Button({
  children,
  disabled = false,
  isPressed,
  onClick,
  type = 'button',
  ...look
}: ButtonProps) {
  return (
    <button
      type={type}
      class={classOf(look, children)}
      aria-label={look.label}
      aria-pressed={isPressed}
      title={look.label}
      disabled={disabled}
      onClick={onClick}
    >
      {look.icon !== undefined && <Icon name={look.icon} />}
      {children}
    </button>
  );
}

export function LinkButton({ children, href, ...look }: Look & { readonly href: string }) {
  return (
    <a class={classOf(look, children)} href={href} aria-label={look.label} title={look.label}>
      {look.icon !== undefined && <Icon name={look.icon} />}
      {children}
    </a>
  );
}

function classOf({ kind = 'plain', size }: Look, children: ComponentChildren): string {
  const classes = ['button', `button-${kind}`];
  if (children === undefined) classes.push('button-icon');
  if (size === 'small') classes.push('button-small');
  return classes.join(' ');
}
