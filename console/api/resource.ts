// Data that a screen loads: loading, loaded, or failed. It reloads when its inputs change, after an
// outage, and on request.

import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useCallback, useEffect } from 'preact/hooks';
import type { GridClient } from '../../src/client/index.ts';
import { reconnections } from './connection.ts';
import { call } from './session.ts';

export type Loaded<T> =
  | { readonly kind: 'loading'; readonly value?: never }
  /** `error`: why the last reload failed; the value is the previous one. */
  | { readonly kind: 'loaded'; readonly value: T; readonly error?: unknown }
  | { readonly kind: 'failed'; readonly error: unknown; readonly value?: never };

export interface Resource<T> {
  readonly state: ReadonlySignal<Loaded<T>>;
  readonly reload: () => Promise<void>;
}

interface ResourceOptions {
  /** Loads again this long after the last load ended, while the page is visible. */
  readonly everyMs?: number;
}

type Load<T> = (client: GridClient, signal: AbortSignal) => Promise<T>;

export function useResource<T>(
  load: Load<T>,
  inputs: readonly unknown[],
  { everyMs }: ResourceOptions = {},
): Resource<T> {
  const state = useSignal<Loaded<T>>({ kind: 'loading' });
  // Reloads after an outage.
  const outages = reconnections.value;
  const reload = useCallback(
    async (signal: AbortSignal = new AbortController().signal) => {
      try {
        const value = await call((client) => load(client, signal));
        if (!signal.aborted) state.value = { kind: 'loaded', value };
      } catch (error) {
        if (signal.aborted) return;
        const { value } = state.value;
        state.value =
          value === undefined ? { kind: 'failed', error } : { kind: 'loaded', value, error };
      }
    },
    [state, ...inputs],
  );
  useEffect(() => {
    const controller = new AbortController();
    void repeat(() => reload(controller.signal), everyMs, controller.signal);
    return () => controller.abort();
  }, [reload, everyMs, outages]);
  return { state, reload: () => reload() };
}

async function repeat(
  work: () => Promise<void>,
  everyMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  await work();
  while (everyMs !== undefined && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    if (!signal.aborted && document.visibilityState === 'visible') await work();
  }
}
