// Runs the query of a tab: its rows as they arrive, its plan, or its plan with figures.

import { signal } from '@preact/signals';
import {
  type GridClient,
  type Parameters,
  type Plan,
  type Query,
  texts,
} from '../../../src/client/index.ts';
import { call } from '../../api/session.ts';
import { remember } from './query-history.ts';

/** Maximum rows that are fetched; more than a person reads. */
export const MAX_ROWS = 10_000;

export type RunState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly rows: number; readonly cancel: () => void }
  | RowsResult
  | LiveResult
  | PlanResult
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface RowsResult {
  readonly kind: 'rows';
  /** JSON texts. */
  readonly rows: readonly string[];
  /** Whether there are more. */
  readonly isCut: boolean;
  readonly ms: number;
}

/** Rows as they change. */
export interface LiveResult {
  readonly kind: 'live';
  readonly rows: readonly string[];
  readonly isCut: boolean;
  /** Indexes of rows that changed recently. */
  readonly fresh: ReadonlySet<number>;
  /** Since it began. */
  readonly changes: number;
  readonly isStopped: boolean;
}

export interface PlanResult {
  readonly kind: 'plan';
  readonly plan: Plan;
  readonly text: string;
  /** The plan of the same text before an index was created for it. */
  readonly before: Plan | undefined;
}

export type RunMode = 'rows' | 'explain' | 'analyze';

/** By tab. */
const runs = signal<ReadonlyMap<string, RunState>>(new Map());

export function runOf(tab: string): RunState {
  return runs.value.get(tab) ?? { kind: 'idle' };
}

export function setRun(tab: string, state: RunState): void {
  runs.value = new Map(runs.value).set(tab, state);
}

export interface RunRequest {
  readonly text: string;
  /** A named query is called by its name, as by its clients. */
  readonly queryId?: string | undefined;
  readonly parameters: Parameters;
  readonly mode: RunMode;
  /** A plan to show beside the new one. */
  readonly before?: Plan | undefined;
}

export async function runQuery(tab: string, request: RunRequest): Promise<void> {
  const { before, mode, queryId, text } = request;
  const controller = new AbortController();
  const cancel = (): void => {
    controller.abort();
    setRun(tab, { kind: 'cancelled' });
  };
  setRun(tab, { kind: 'running', rows: 0, cancel });
  try {
    const result =
      mode === 'rows'
        ? await readRows(request, controller.signal, (rows) => {
            setRun(tab, { kind: 'running', rows, cancel });
          })
        : {
            kind: 'plan' as const,
            before,
            text,
            plan: await readPlan(request, mode, controller.signal),
          };
    if (controller.signal.aborted) return;
    if (mode !== 'explain' && queryId === undefined) remember(text);
    setRun(tab, result);
  } catch (error) {
    if (!controller.signal.aborted) setRun(tab, { kind: 'failed', error });
  }
}

/** Runs it by its name, if it has one. */
export function openQuery(
  { queries }: GridClient,
  { parameters, queryId, text }: Pick<RunRequest, 'parameters' | 'queryId' | 'text'>,
  stop: AbortSignal,
): Query<string> {
  const options = { codec: texts, signal: stop };
  return queryId === undefined
    ? queries.adhoc(text, parameters, options)
    : queries.named(queryId, parameters, options);
}

async function readRows(
  request: RunRequest,
  stop: AbortSignal,
  onRows: (rows: number) => void,
): Promise<RowsResult> {
  const begun = performance.now();
  return call(async (client) => {
    const rows: string[] = [];
    let reportedMs = begun;
    for await (const row of openQuery(client, request, stop).stream()) {
      if (rows.length === MAX_ROWS) {
        return { kind: 'rows', rows, isCut: true, ms: performance.now() - begun };
      }
      rows.push(row);
      if (performance.now() - reportedMs < 100) continue;
      reportedMs = performance.now();
      onRows(rows.length);
    }
    return { kind: 'rows', rows, isCut: false, ms: performance.now() - begun };
  });
}

async function readPlan(
  request: RunRequest,
  mode: 'explain' | 'analyze',
  stop: AbortSignal,
): Promise<Plan> {
  return call((client) => {
    const query = openQuery(client, request, stop);
    return mode === 'explain' ? query.explain() : query.analyze();
  });
}
