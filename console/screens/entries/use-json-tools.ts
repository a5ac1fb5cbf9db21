// Loads the JSON editor on demand, because it is large.

import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export type JsonTools = Pick<typeof import('./json-editor.tsx'), 'JsonDiff' | 'JsonEditor'>;

interface LoadedTools {
  /** Undefined until they are loaded. */
  readonly tools: JsonTools | undefined;
  /** Why they could not be loaded. */
  readonly failure: unknown;
}

export function useJsonTools(): LoadedTools {
  const state: Signal<LoadedTools> = useSignal({ tools: undefined, failure: undefined });
  useEffect(() => {
    import('./json-editor.tsx').then(
      ({ JsonDiff, JsonEditor }) => {
        state.value = { tools: { JsonDiff, JsonEditor }, failure: undefined };
      },
      (failure: unknown) => {
        state.value = { tools: undefined, failure };
      },
    );
  }, []);
  return state.value;
}
