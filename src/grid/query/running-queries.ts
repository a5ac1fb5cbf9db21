// The queries that run now: how many may, which they are, and how to stop one.

import { runningQueryNotFound, tooManyQueries } from '../errors.ts';

export interface RunningQuery {
  readonly id: string;
  readonly oql: string;
  /** Absent for an ad-hoc query. */
  readonly queryId: string | undefined;
  readonly elapsedMs: number;
}

interface Run {
  readonly oql: string;
  readonly queryId: string | undefined;
  readonly startedMs: number;
  isCancelled: boolean;
}

interface RunRequest {
  readonly oql: string;
  readonly queryId?: string | undefined;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: { readonly aborted: boolean };
}

export class RunningQueries {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #runs = new Map<string, Run>();
  #lastId = 0;

  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Registers a run, to be ended by its id; throws when as many run as may. */
  begin({ oql, queryId, signal }: RunRequest): {
    readonly id: string;
    /** Aborted by either. Only looked at now and then, so nobody needs to be told by an event. */
    readonly signal: { readonly aborted: boolean };
  } {
    if (this.#runs.size >= this.#limit) throw tooManyQueries(this.#limit);
    this.#lastId += 1;
    const id = String(this.#lastId);
    const run: Run = { oql, queryId, startedMs: this.#now(), isCancelled: false };
    this.#runs.set(id, run);
    return {
      id,
      signal: {
        get aborted(): boolean {
          return run.isCancelled || signal.aborted;
        },
      },
    };
  }

  end(id: string): void {
    this.#runs.delete(id);
  }

  list(): readonly RunningQuery[] {
    return [...this.#runs].map(([id, run]) => ({
      id,
      oql: run.oql,
      queryId: run.queryId,
      elapsedMs: Math.round(this.#now() - run.startedMs),
    }));
  }

  /** The query fails with `oql/cancelled` at its next pause. */
  cancel(id: string): void {
    const run = this.#runs.get(id);
    if (run === undefined) throw runningQueryNotFound(id);
    run.isCancelled = true;
  }
}
