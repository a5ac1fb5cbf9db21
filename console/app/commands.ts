// What the command bar offers. Screens, regions and preferences are always there; a
// screen adds its own commands while it is shown.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { regions } from '../api/regions.ts';
import type { IconName } from '../design/icon.tsx';
import { isReadOnly, theme } from './preferences.ts';
import { hrefOf } from './router.ts';
import { offeredMainScreens, offeredRegionScreens } from './screens.ts';

export interface Command {
  readonly title: string;
  /** What it belongs to: `orders`, `This screen`. */
  readonly group: string;
  readonly icon: IconName;
  readonly run: () => void;
}

const added = signal<ReadonlyMap<symbol, readonly Command[]>>(new Map());

/** Offers these while the component is shown. */
export function useCommands(commands: readonly Command[], inputs: readonly unknown[]): void {
  useEffect(() => {
    const owner = Symbol('commands');
    added.value = new Map(added.value).set(owner, commands);
    return () => {
      const left = new Map(added.value);
      left.delete(owner);
      added.value = left;
    };
  }, inputs);
}

/** Those that match all words of the text, the nearest first. */
export function findCommands(text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return listCommands()
    .map((command) => ({ command, rank: rankOf(command, words) }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => a.rank - b.rank)
    .map(({ command }) => command);
}

function rankOf({ group, title }: Command, words: readonly string[]): number {
  const name = title.toLowerCase();
  const all = `${name} ${group.toLowerCase()}`;
  if (!words.every((word) => all.includes(word))) return -1;
  const [first = ''] = words;
  return name.startsWith(first) ? 0 : 1;
}

function listCommands(): readonly Command[] {
  return [
    ...[...added.value.values()].flat(),
    ...offeredMainScreens().map(({ icon, id, title }) =>
      goTo({ title, group: 'Go to', icon, href: hrefOf({ screen: id }) }),
    ),
    ...(regions.value ?? []).flatMap(({ name }) =>
      offeredRegionScreens(name).map(({ icon, id, title }) =>
        goTo({
          title: `${name} › ${title}`,
          group: 'Region',
          icon,
          href: hrefOf({ screen: id, region: name }),
        }),
      ),
    ),
    ...preferenceCommands(),
  ];
}

function goTo({ href, ...command }: Omit<Command, 'run'> & { readonly href: string }): Command {
  return {
    ...command,
    run: () => {
      location.hash = href;
    },
  };
}

function preferenceCommands(): readonly Command[] {
  const themes = (['light', 'dark', 'system'] as const).filter((name) => name !== theme.value);
  const icons = { light: 'sun', dark: 'moon', system: 'system' } as const;
  return [
    ...themes.map((name) => ({
      title:
        name === 'system' ? 'Theme of the system' : `${name === 'dark' ? 'Dark' : 'Light'} theme`,
      group: 'Preferences',
      icon: icons[name],
      run: () => {
        theme.value = name;
      },
    })),
    {
      title: isReadOnly.value ? 'Allow changes' : 'Read-only mode',
      group: 'Preferences',
      icon: 'lock',
      run: () => {
        isReadOnly.value = !isReadOnly.value;
      },
    },
  ];
}
