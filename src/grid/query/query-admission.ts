// Admits queries: decides which run now and which wait, and cancels them.
//
// A limited number of queries run at once. The others wait in one of two queues, for a bounded
// time. Short queries have the same number of additional slots, which long queries never take. So a
// query of a millisecond does not wait for queries that run for seconds.

import { printAmount } from '../../value/print-amount.ts';
import { runningQueryNotFound, tooManyQueries } from '../errors.ts';

export interface RunningQuery {
  readonly id: string;
  readonly oql: string;
  /** Absent for an ad-hoc query. */
  readonly queryId: string | undefined;
  readonly state: 'running' | 'waiting';
  /** Since it arrived, including waiting. */
  readonly elapsedMs: number;
}

export interface AdmissionLimits {
  /** Queries that run at once, without the additional slots of short ones. */
  readonly atOnce: number;
  /** Queries that may wait. */
  readonly waiting: number;
  /** Maximum waiting time. */
  readonly waitMs: number;
}

interface AdmissionParts {
  readonly limits: AdmissionLimits;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly delay: (ms: number) => Promise<void>;
}

interface RunRequest {
  readonly oql: string;
  readonly queryId?: string | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: { readonly aborted: boolean };
  /** The end of the query's own time limit; absent: none. */
  readonly deadlineMs?: number | undefined;
  /** Whether it is expected to be short; called only if no slot is free. */
  readonly isShort: () => boolean;
}

export interface AdmittedQuery {
  /** The argument of `end`. */
  readonly id: string;
  /** Aborted by client or cancellation. It is polled, so it needs no event. */
  readonly signal: { readonly aborted: boolean };
  readonly waitedMs: number;
}

type Lane = 'general' | 'short';

interface Registered {
  readonly id: string;
  readonly request: RunRequest;
  readonly arrivedMs: number;
  /** Undefined while it waits. */
  lane: Lane | undefined;
  isCancelled: boolean;
}

interface WaitingQuery {
  readonly run: Registered;
  readonly untilMs: number;
  readonly admit: (admitted: AdmittedQuery) => void;
  readonly refuse: (error: Error) => void;
}

/** How often waiting queries are checked for a lost client or an expired time limit. */
const SWEEP_MS = 25;

export class QueryAdmission {
  readonly #parts: AdmissionParts;
  readonly #runs = new Map<string, Registered>();
  readonly #running: Record<Lane, number> = { general: 0, short: 0 };
  /** In order of arrival, by lane. */
  readonly #queues: Record<Lane, WaitingQuery[]> = { general: [], short: [] };
  #isSweeping = false;
  #lastId = 0;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** Registers a run, which the caller ends by its id; synchronous if a slot is free. */
  begin(request: RunRequest): AdmittedQuery | Promise<AdmittedQuery> {
    this.#lastId += 1;
    const run: Registered = {
      id: String(this.#lastId),
      request,
      arrivedMs: this.#parts.now(),
      lane: undefined,
      isCancelled: false,
    };
    if (this.#isFree('general')) return this.#start(run, 'general');
    const lane: Lane = request.isShort() ? 'short' : 'general';
    if (this.#isFree(lane)) return this.#start(run, lane);
    return this.#wait(run, lane);
  }

  end(id: string): void {
    const lane = this.#runs.get(id)?.lane;
    this.#runs.delete(id);
    if (lane === undefined) return;
    this.#running[lane] -= 1;
    this.#admitNext();
  }

  /** Running queries, then waiting ones, in order of arrival. */
  list(): readonly RunningQuery[] {
    const now = this.#parts.now();
    const listed = [...this.#runs.values()].map((run): RunningQuery => {
      const { oql, queryId } = run.request;
      const state = run.lane === undefined ? 'waiting' : 'running';
      return { id: run.id, oql, queryId, state, elapsedMs: Math.round(now - run.arrivedMs) };
    });
    return listed.sort((a, b) => Number(a.state === 'waiting') - Number(b.state === 'waiting'));
  }

  /** The query fails with `oql/cancelled` at its next pause, or at once if it waits. */
  cancel(id: string): void {
    const run = this.#runs.get(id);
    if (run === undefined) throw runningQueryNotFound(id);
    run.isCancelled = true;
    this.#sweep();
  }

  #isFree(lane: Lane): boolean {
    return this.#running[lane] < this.#parts.limits.atOnce && this.#queues[lane].length === 0;
  }

  #start(run: Registered, lane: Lane): AdmittedQuery {
    run.lane = lane;
    this.#running[lane] += 1;
    this.#runs.set(run.id, run);
    return toAdmitted(run, this.#parts.now() - run.arrivedMs);
  }

  #wait(run: Registered, lane: Lane): Promise<AdmittedQuery> {
    const { atOnce, waiting, waitMs } = this.#parts.limits;
    const waitingCount = this.#queues.general.length + this.#queues.short.length;
    if (waitingCount >= waiting) {
      const running = printAmount(atOnce, 'query is', 'queries are');
      throw tooManyQueries(`${running} running, ${printAmount(waitingCount, 'waits', 'wait')}`);
    }
    this.#runs.set(run.id, run);
    const untilMs = Math.min(run.arrivedMs + waitMs, run.request.deadlineMs ?? Infinity);
    const admitted = new Promise<AdmittedQuery>((admit, refuse) => {
      this.#queues[lane].push({ run, untilMs, admit, refuse });
    });
    void this.#keepSweeping();
    return admitted;
  }

  /** Long queries take only general slots; short ones take free general slots too. */
  #admitNext(): void {
    const { atOnce } = this.#parts.limits;
    while (this.#running.general < atOnce) {
      const next = this.#queues.general.shift() ?? this.#queues.short.shift();
      if (next === undefined) return;
      next.admit(this.#start(next.run, 'general'));
    }
    while (this.#running.short < atOnce) {
      const next = this.#queues.short.shift();
      if (next === undefined) return;
      next.admit(this.#start(next.run, 'short'));
    }
  }

  async #keepSweeping(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    while (this.#queues.general.length + this.#queues.short.length > 0) {
      await this.#parts.delay(SWEEP_MS);
      this.#sweep();
    }
    this.#isSweeping = false;
  }

  #sweep(): void {
    const now = this.#parts.now();
    for (const lane of ['general', 'short'] as const) {
      const queue = this.#queues[lane];
      const stillWaiting = queue.filter((waiting) => !this.#settleIfOver(waiting, now));
      queue.splice(0, queue.length, ...stillWaiting);
    }
  }

  /** Admits or refuses a query that must not wait any longer; returns whether it did. */
  #settleIfOver({ run, untilMs, admit, refuse }: WaitingQuery, now: number): boolean {
    const waitedMs = now - run.arrivedMs;
    if (run.isCancelled || run.request.signal.aborted) {
      // It continues without a slot, and fails at its first check of the signal.
      admit(toAdmitted(run, waitedMs));
      return true;
    }
    if (now < untilMs) return false;
    this.#runs.delete(run.id);
    refuse(tooManyQueries(`no place became free within ${Math.round(waitedMs)} ms`));
    return true;
  }
}

function toAdmitted(run: Registered, waitedMs: number): AdmittedQuery {
  return {
    id: run.id,
    waitedMs,
    signal: {
      get aborted(): boolean {
        return run.isCancelled || run.request.signal.aborted;
      },
    },
  };
}
