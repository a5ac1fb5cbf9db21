// Ctrl-K: finds a screen, a region, a named query or an action by a few letters.

import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { GridClient } from '../../src/client/index.ts';
import { useResource } from '../api/resource.ts';
import { closedBy, useModal } from '../design/dialog.tsx';
import { Icon } from '../design/icon.tsx';
import { findCommands } from './commands.ts';
import { offeredMainScreens } from './screens.ts';
import type { Command } from './use-commands.ts';

const isOpen = signal(false);
const SHOWN = 50;

export function openCommandBar(): void {
  isOpen.value = true;
}

addEventListener('keydown', (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    isOpen.value = !isOpen.value;
  }
});

export function CommandBar() {
  return isOpen.value ? <OpenCommandBar /> : null;
}

function OpenCommandBar() {
  const dialog = useRef<HTMLDialogElement>(null);
  const text = useSignal('');
  const chosen = useSignal(0);
  const { state: queryIds } = useResource(listQueryIds, []);
  const commands = findCommands(text.value, queryIds.value.value ?? []).slice(0, SHOWN);
  const at = Math.min(chosen.value, commands.length - 1);
  useModal(dialog);
  const close = (): void => {
    isOpen.value = false;
  };
  const run = (command: Command | undefined): void => {
    close();
    command?.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (event.key === 'Enter') run(commands[at]);
    else if (step !== undefined) {
      chosen.value = (at + step + commands.length) % Math.max(1, commands.length);
    } else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} class="dialog command-bar" aria-label="Commands" {...closedBy(close)}>
      <div class="command-input">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label="Find a screen, a region, a query or an action"
          aria-expanded="true"
          aria-controls="commands"
          aria-activedescendant={commands.length === 0 ? undefined : `command-${at}`}
          placeholder="Find a screen, a region, a query or an action"
          value={text.value}
          spellcheck={false}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            chosen.value = 0;
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <CommandList commands={commands} at={at} run={run} />
    </dialog>
  );
}

async function listQueryIds(client: GridClient, signal: AbortSignal): Promise<readonly string[]> {
  if (!offeredMainScreens().some(({ id }) => id === 'queries')) return [];
  return (await client.queries.list({ signal })).map(({ id }) => id);
}

interface CommandListProps {
  readonly commands: readonly Command[];
  readonly at: number;
  readonly run: (command: Command) => void;
}

function CommandList({ at, commands, run }: CommandListProps) {
  useEffect(() => {
    document.querySelector(`#command-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  if (commands.length === 0) return <p class="command-none">Nothing matches.</p>;
  return (
    <div id="commands" class="commands" role="listbox" aria-label="Commands" tabIndex={-1}>
      {commands.map((command, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input above takes the keys
        <div
          key={`${command.group} ${command.title}`}
          id={`command-${i}`}
          class="command"
          role="option"
          tabIndex={-1}
          aria-selected={i === at}
          onClick={() => run(command)}
        >
          <Icon name={command.icon} />
          <span class="command-title">{command.title}</span>
          <span class="quiet">{command.group}</span>
        </div>
      ))}
    </div>
  );
}
