// Applies pending changes in the background, so that queries need not. Without writes, it works in
// consecutive short slices. During writes, it applies changes once they are too many for a query,
// in a share of the busy time of the event loop. So a burst of writes leaves few pending changes,
// and costs writers no more than that share.

import type { FollowedTable } from './followed-table.ts';

/** Timing of background work. */
export interface IdleTime {
  /** Monotonic milliseconds. */
  now(): number;
  delay(ms: number): Promise<void>;
  /** Busy milliseconds of the event loop so far; absent: unknown. */
  busyMs?(): number;
}

/**
 * Writers are idle when no change came for this long. Writes of many entries are committed together,
 * some 50 milliseconds apart, and a checkpoint may hold them up for 200.
 */
const REST_MS = 250;
/** How often to look whether many changes are pending, or writers are idle. */
const LOOK_MS = 20;
const SLICE_MS = 1;
const GAP_MS = 2;
/**
 * Slice during writes. A slice begins with cold caches and leaves cold caches to requests, which is
 * not measured here: few long slices cost less than many short ones.
 */
const SLICE_WHILE_WRITING_MS = 2;
const MIN_SLICE_MS = 1.5;
/** A busy event loop earns the credit of a slice in two or three of these. */
const GAP_WHILE_WRITING_MS = 4;
/**
 * During writes, changes are applied in sets of at least this many. Fewer are left to the next
 * query: some 20 milliseconds of work if it needs a few columns, and 50 if it needs all. In a larger
 * set each change costs less, because more of them share pages of memory.
 */
const SET_WHILE_WRITING = 8192;
/**
 * Share of the time that the event loop spends on other work: the total cost of columns to writers.
 */
const SHARE_WHILE_WRITING = 0.18;
/** If more changes than this are pending, that share is too small for the rate of writes. */
const BACKLOG_WHILE_WRITING = 10_240;
/** Share until fewer are pending. It is larger, because a query would have to wait for the rest. */
const SHARE_WITH_BACKLOG = 0.26;
/** The cost of receiving a change, which counts towards the share. */
const RECEIVE_MS = 0.00125;
/**
 * If changes come with less busy time for each than this, the larger share could not apply them. Then
 * none is applied: writers would pay for that, and the next query has much to apply in any case.
 */
const OVERRUN_MS = 0.019;
/**
 * How much of their rate is kept with each look. Hundreds of changes may come at once and then none
 * for several looks, so it is judged over some 20 of them.
 */
const RATE_KEPT = 0.95;

export class IdleApply {
  readonly #time: IdleTime;
  readonly #manyPending: number;
  readonly #watched = new Set<FollowedTable>();
  /** Time that may be spent during writes; negative after a slice that took longer. */
  #creditMs = 0;
  /** Busy time up to here has been credited. */
  #creditedMs = 0;
  /** Busy time of late, and the changes that came in it. */
  #recentMs = 0;
  #recentChanges = 0;

  constructor(time: IdleTime, manyPending: number) {
    this.#time = time;
    this.#manyPending = manyPending;
  }

  /** Call it after changes; calls `onStale` when the table must be rebuilt. */
  watch(table: FollowedTable, onStale: () => void): void {
    if (this.#watched.has(table)) return;
    if (table.pendingCount < this.#manyPending || !table.isApplicable) return;
    // Busy time before that has nothing to do with these changes.
    if (this.#watched.size === 0) this.#creditedMs = this.#time.busyMs?.() ?? 0;
    this.#watched.add(table);
    void this.#apply(table).then(() => {
      this.#watched.delete(table);
      if (table.isStale) onStale();
    });
  }

  /** Works until nothing is pending, or a query comes, which applies the rest itself. */
  async #apply(table: FollowedTable): Promise<void> {
    let changedMs = this.#time.now();
    let { received } = table;
    while (table.isApplicable) {
      const isResting = this.#time.now() - changedMs >= REST_MS;
      const isMuch = table.isApplying || table.pendingCount > SET_WHILE_WRITING;
      if (isResting) this.#applyFor(table, SLICE_MS);
      else if (isMuch && this.#creditMs >= MIN_SLICE_MS) {
        this.#creditMs -= this.#applyFor(table, this.#creditMs);
      }
      const gapMs = isMuch ? GAP_WHILE_WRITING_MS : LOOK_MS;
      await this.#time.delay(isResting ? GAP_MS : gapMs);
      const came = table.received - received;
      received += came;
      if (came > 0) changedMs = this.#time.now();
      this.#earn(came, table.pendingCount);
    }
  }

  /** Adds the share of the busy time in which so many changes came, less the cost of receiving them. */
  #earn(came: number, pending: number): void {
    const busyMs = this.#time.busyMs?.() ?? 0;
    const otherMs = Math.max(0, busyMs - this.#creditedMs);
    this.#creditedMs = Math.max(this.#creditedMs, busyMs);
    this.#recentMs = this.#recentMs * RATE_KEPT + otherMs;
    this.#recentChanges = this.#recentChanges * RATE_KEPT + came;
    const isOverrun = this.#recentMs < this.#recentChanges * OVERRUN_MS;
    const share = pending > BACKLOG_WHILE_WRITING ? SHARE_WITH_BACKLOG : SHARE_WHILE_WRITING;
    const creditMs = this.#creditMs + (isOverrun ? 0 : otherMs * share) - came * RECEIVE_MS;
    this.#creditMs = Math.max(-SLICE_MS, Math.min(SLICE_WHILE_WRITING_MS, creditMs));
  }

  /** Returns the time that it took, which earns no credit. */
  #applyFor(table: FollowedTable, sliceMs: number): number {
    const started = this.#time.now();
    table.applySome(() => this.#time.now() - started >= sliceMs);
    const spentMs = this.#time.now() - started;
    this.#creditedMs += spentMs;
    return spentMs;
  }
}
