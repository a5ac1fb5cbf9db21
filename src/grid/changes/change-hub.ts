// Wakes feeds that have read the log to its end. A feed reads at its own pace; the hub only signals
// that a commit concerns one of its regions, and after which sequence to read. Many feeds are woken
// less often, so that one read and one write serve several commits.

import type { Commit, Engine } from '../../engine/engine.ts';
import { isReservedRegion } from '../region-rules.ts';

export interface HubParts {
  readonly engine: Engine;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Yields to other requests. */
  readonly pause: () => Promise<void>;
}

/** A waiting feed. While it waits, no commit up to `hub.received` concerns it. */
export interface WaitingFeed {
  /** The sequence to read after: commits up to it concern other regions. */
  readonly resumeAfter: number;
  /** True when there is something to read, false when the wait was aborted. */
  readonly woken: Promise<boolean>;
}

/** Feeds woken in one turn of the event loop. */
const WOKEN_AT_ONCE = 50;
/** The interval between wake-ups grows with the number of subscribers, up to this. */
const MAX_PACE_MS = 20;
const FEEDS_PER_PACE_MS = 5;
/** Interval of polling for commits of other servers. */
const POLL_MS = 25;
const POLL_AFTER_FAILURE_MS = 250;

export class ChangeHub {
  readonly #parts: HubParts;
  readonly #all = new Set<Waiter>();
  readonly #byRegion = new Map<string, Set<Waiter>>();
  /** The latest commit that concerned a region, since the first subscriber. */
  readonly #touched = new Map<string, number>();
  #touchedAny = 0;
  /** Commits up to this one were missed: feeds behind it must read the log. */
  #resetAt = 0;
  #received = 0;
  /** Resets of the store so far. */
  resets = 0;
  #subscribers = 0;
  #unsubscribe: (() => void) | undefined;
  #due: Waiter[] = [];
  #isScheduled = false;
  #lastWaking = Number.NEGATIVE_INFINITY;
  #poll: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: HubParts) {
    this.#parts = parts;
  }

  /** The latest commit received. */
  get received(): number {
    return this.#received;
  }

  /**
   * Subscribes: from now on no commit is missed. Returns a function that unsubscribes. Without
   * subscribers the hub does not listen, and commits cost nothing.
   */
  subscribe(): () => void {
    this.#subscribers += 1;
    if (this.#unsubscribe === undefined) this.#start();
    let isSubscribed = true;
    return () => {
      if (!isSubscribed) return;
      isSubscribed = false;
      this.#subscribers -= 1;
      if (this.#subscribers === 0) this.#stop();
    };
  }

  /** Waits for a commit after `after` in one of the regions, or in any. Call `subscribe` before. */
  wait(regions: ReadonlySet<string> | undefined, after: number, signal: AbortSignal): WaitingFeed {
    const waiter = new Waiter(this, after, regions);
    if (signal.aborted) waiter.settle(false);
    else if (this.#isBehind(regions, after)) waiter.settle(true);
    else {
      this.#add(waiter);
      const onAbort = (): void => {
        this.#remove(waiter);
        waiter.settle(false);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      void waiter.woken.then(() => signal.removeEventListener('abort', onAbort));
    }
    return waiter;
  }

  close(): void {
    this.#stop();
    for (const waiter of this.#all) waiter.settle(false);
    for (const waiter of this.#due) waiter.settle(false);
    this.#all.clear();
    this.#byRegion.clear();
    this.#due = [];
  }

  #start(): void {
    const { engine } = this.#parts;
    this.#received = engine.stats().sequence;
    this.#resetAt = this.#received;
    this.#touched.clear();
    this.#touchedAny = 0;
    this.#unsubscribe = engine.subscribe({
      onCommit: (commit) => this.#receive(commit),
      onReset: (sequence) => this.#reset(sequence),
    });
    this.#pollOthers();
  }

  #stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    clearTimeout(this.#poll);
  }

  /** A store with several servers reports their commits only on request. */
  #pollOthers(): void {
    const caughtUp = this.#parts.engine.catchUp();
    if (!(caughtUp instanceof Promise)) return;
    const again = (ms: number): void => {
      if (this.#unsubscribe === undefined) return;
      clearTimeout(this.#poll);
      this.#poll = setTimeout(() => this.#pollOthers(), ms);
    };
    caughtUp.then(
      () => again(POLL_MS),
      () => again(POLL_AFTER_FAILURE_MS),
    );
  }

  #isBehind(regions: ReadonlySet<string> | undefined, after: number): boolean {
    if (after < this.#resetAt) return true;
    if (regions === undefined) return this.#touchedAny > after;
    for (const region of regions) if ((this.#touched.get(region) ?? 0) > after) return true;
    return false;
  }

  #receive({ changes, sequence }: Commit): void {
    for (const { region } of changes) {
      if (isReservedRegion(region) || this.#touched.get(region) === sequence) continue;
      this.#touched.set(region, sequence);
      this.#touchedAny = sequence;
      const waiters = this.#byRegion.get(region);
      if (waiters !== undefined) this.#wake(waiters, sequence - 1);
    }
    const ofAll = this.#byRegion.get(ANY_REGION);
    if (this.#touchedAny === sequence && ofAll !== undefined) this.#wake(ofAll, sequence - 1);
    this.#received = sequence;
  }

  /** Earlier commits are void: every feed reads the log again. */
  #reset(sequence: number): void {
    this.resets += 1;
    this.#received = sequence;
    this.#resetAt = sequence;
    this.#touched.clear();
    this.#touchedAny = 0;
    this.#wake(this.#all, undefined);
  }

  #wake(waiters: ReadonlySet<Waiter>, resumeAfter: number | undefined): void {
    for (const waiter of [...waiters]) {
      this.#remove(waiter);
      waiter.setResumeAfter(resumeAfter);
      this.#due.push(waiter);
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#due.length === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    const pace = Math.min(MAX_PACE_MS, this.#subscribers / FEEDS_PER_PACE_MS);
    const delay = this.#lastWaking + pace - this.#parts.now();
    if (delay > 0) setTimeout(() => void this.#wakeDue(), delay);
    else void this.#wakeDue();
  }

  async #wakeDue(): Promise<void> {
    // Writers are answered first.
    await this.#parts.pause();
    const due = this.#due;
    this.#due = [];
    for (let first = 0; first < due.length; first += WOKEN_AT_ONCE) {
      if (first > 0) await this.#parts.pause();
      for (const waiter of due.slice(first, first + WOKEN_AT_ONCE)) waiter.settle(true);
    }
    this.#lastWaking = this.#parts.now();
    this.#isScheduled = false;
    this.#schedule();
  }

  #add(waiter: Waiter): void {
    this.#all.add(waiter);
    for (const region of waiter.regions) {
      const waiters = this.#byRegion.get(region) ?? new Set();
      waiters.add(waiter);
      this.#byRegion.set(region, waiters);
    }
  }

  #remove(waiter: Waiter): void {
    this.#all.delete(waiter);
    for (const region of waiter.regions) {
      const waiters = this.#byRegion.get(region);
      waiters?.delete(waiter);
      if (waiters?.size === 0) this.#byRegion.delete(region);
    }
  }
}

/** The key of feeds of every region; no region has an empty name. */
const ANY_REGION = '';
const ANY: ReadonlySet<string> = new Set([ANY_REGION]);

class Waiter implements WaitingFeed {
  readonly regions: ReadonlySet<string>;
  readonly woken: Promise<boolean>;
  readonly #hub: ChangeHub;
  readonly #after: number;
  #resumeAfter: number | undefined;
  #settle: (hasNews: boolean) => void = () => undefined;

  constructor(hub: ChangeHub, after: number, regions: ReadonlySet<string> | undefined) {
    this.#hub = hub;
    this.#after = after;
    this.regions = regions ?? ANY;
    this.woken = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get resumeAfter(): number {
    return this.#resumeAfter ?? Math.max(this.#after, this.#hub.received);
  }

  /** Fixes `resumeAfter`; without a sequence, at the start of the wait. */
  setResumeAfter(sequence: number | undefined): void {
    this.#resumeAfter = sequence === undefined ? this.#after : Math.max(this.#after, sequence);
  }

  settle(hasNews: boolean): void {
    this.#resumeAfter ??= hasNews ? this.#after : this.resumeAfter;
    this.#settle(hasNews);
  }
}
