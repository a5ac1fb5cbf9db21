// The caller's context for one run of a query: parameters, time, and the ways to stop it.

import type { ResultForm } from '../../value/result-form.ts';
import type { Value } from '../../value/value.ts';

/** The slice of time that a query is in. */
export interface TimeSlice {
  /** By the clock of the run. */
  startedAt: number;
}

export interface RunContext {
  /** Values of the parameter slots of the bound query, in slot order. */
  readonly parameters: readonly Value[];
  /** A clock that never goes back, in milliseconds. */
  readonly now: () => number;
  /** Yields to other work; awaited between slices. */
  readonly pause: () => Promise<void>;
  /** How long the query may run, all attempts together; undefined for no limit. */
  readonly timeoutMs?: number | undefined;
  /** When that time began, by `now`; absent: when the run begins. */
  readonly startedAt?: number | undefined;
  /** Shared by all stages of a run, so that none begins a new slice; absent: each has its own. */
  readonly slice?: TimeSlice;
  /** Checked between slices; an `AbortSignal` is one. */
  readonly signal?: { readonly aborted: boolean } | undefined;
  /** Whether memory is so short that the query has to stop. */
  readonly isMemoryLow?: (() => boolean) | undefined;
  /** Rows that joins, sorting, grouping and DISTINCT may hold in memory; absent: any number. */
  readonly maxRowsKept?: number | undefined;
  /** How rows are printed; absent: as the service's own API shows them. */
  readonly form?: ResultForm | undefined;
}
