// Preferences of this browser: theme and read-only switch. No secrets.

import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const STORAGE_KEY = 'gridkeep-preferences';
const THEMES: readonly string[] = ['system', 'light', 'dark'] satisfies Theme[];

const stored = readStored();

export const theme = signal<Theme>(stored.theme);

/** While it is on, actions that change data or settings are hidden. */
export const isReadOnly = signal<boolean>(stored.isReadOnly);

/** The effective theme, given the system's choice; charts use it. */
export const shownTheme = signal<'light' | 'dark'>('light');

/** Applies the chosen theme from now on, and saves preferences. */
export function applyTheme(): void {
  const systemIsDark = matchMedia('(prefers-color-scheme: dark)');
  const show = (): void => {
    const chosen = theme.value;
    const system = systemIsDark.matches ? 'dark' : 'light';
    shownTheme.value = chosen === 'system' ? system : chosen;
    document.documentElement.dataset['theme'] = shownTheme.value;
  };
  systemIsDark.addEventListener('change', show);
  effect(show);
  effect(() => {
    const text = JSON.stringify({ theme: theme.value, isReadOnly: isReadOnly.value });
    localStorage.setItem(STORAGE_KEY, text);
  });
}

function readStored(): { readonly theme: Theme; readonly isReadOnly: boolean } {
  const stored = parseObject(localStorage.getItem(STORAGE_KEY) ?? '{}');
  const theme = String(stored['theme']);
  return {
    // One of the three, as the list says.
    theme: THEMES.includes(theme) ? (theme as Theme) : 'system',
    isReadOnly: stored['isReadOnly'] === true,
  };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>; // its members are checked
  } catch {
    return {};
  }
}
