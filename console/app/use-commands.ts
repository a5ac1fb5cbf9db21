// Commands that a screen adds to the command bar while it is shown.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { IconName } from '../design/icon.tsx';

export interface Command {
  readonly title: string;
  /** The group of the command: `orders`, `This screen`. */
  readonly group: string;
  readonly icon: IconName;
  readonly run: () => void;
}

export const addedCommands = signal<ReadonlyMap<symbol, readonly Command[]>>(new Map());

/** Offers these while the component is shown. */
export function useCommands(commands: readonly Command[], inputs: readonly unknown[]): void {
  useEffect(() => {
    const owner = Symbol('commands');
    addedCommands.value = new Map(addedCommands.value).set(owner, commands);
    return () => {
      const left = new Map(addedCommands.value);
      left.delete(owner);
      addedCommands.value = left;
    };
  }, inputs);
}
