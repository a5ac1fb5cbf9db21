// The commands of the command bar. Screens, regions, named queries and preferences are always offered;
// a screen adds its own commands while it is shown (use-commands.ts).

import { regions } from '../api/regions.ts';
import { isReadOnly, theme } from './preferences.ts';
import { hrefOf } from './router.ts';
import { offeredMainScreens, offeredRegionScreens } from './screens.ts';
import { addedCommands, type Command } from './use-commands.ts';

/** Commands that match all words of the text, best match first. */
export function findCommands(text: string, queryIds: readonly string[]): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return listCommands(queryIds)
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

function listCommands(queryIds: readonly string[]): readonly Command[] {
  return [
    ...[...addedCommands.value.values()].flat(),
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
    ...queryIds.map((id) =>
      goTo({
        title: id,
        group: 'Named query',
        icon: 'named',
        href: hrefOf({ screen: 'queries', parameters: { id } }),
      }),
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
