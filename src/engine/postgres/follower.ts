// Follows the log: receives every commit of this server and of others, once and in order, and
// notifies the listeners.

import type { ClientBase } from 'pg';
import type { EngineListener } from '../engine.ts';
import { Listeners } from '../listeners.ts';
import { type LogRow, PAGE_ROWS, readRows, splitCommits, toCommit } from './change-log.ts';
import type { Link } from './link.ts';
import { loadState } from './load-state.ts';
import { queryRows } from './query-rows.ts';
import type { StoreState } from './store-state.ts';
import type { WakeUp } from './wake-up.ts';

/** The state from which following starts. */
interface FollowedStore {
  readonly state: StoreState;
  /** See `readTimeline`. */
  readonly timeline: string;
}

/** A server that received nothing for this long was paused or cut off, and may have missed much. */
const AWAY_MS = 2000;
/** The time after which a connection reads the timeline again. */
const TIMELINE_CHECK_MS = 1000;
/** Rows of the first page after such an absence; pages grow up to about `PAGE_CHARACTERS`. */
const FIRST_ROWS = 4;
const PAGE_CHARACTERS = 4 * 1024 * 1024;

export class Follower {
  readonly #link: Link;
  readonly #wakeUp: WakeUp;
  readonly #listeners = new Listeners();
  #state: StoreState;
  /** The timeline to which `#state` belongs. */
  #timeline: string;
  /** The running reset for another timeline. */
  #adopting: Promise<void> | undefined;
  /** The next query, not sent yet: all calls until then share it. */
  #next: Promise<void> | undefined;
  #inFlight: Promise<void> = Promise.resolve();
  #failure: unknown;
  /** When this server was last up to date. */
  #currentMs: number = performance.now();
  /** When the timeline was last read on each connection. */
  readonly #checkedMs = new WeakMap<ClientBase, number>();

  constructor(link: Link, wakeUp: WakeUp, { state, timeline }: FollowedStore) {
    this.#link = link;
    this.#wakeUp = wakeUp;
    this.#state = state;
    this.#timeline = timeline;
  }

  /** Why the last query failed; undefined after a successful one. */
  get failure(): unknown {
    return this.#failure;
  }

  /** As of the last commit that listeners have received. */
  get state(): StoreState {
    return this.#state;
  }

  subscribe(listener: EngineListener): () => void {
    return this.#listeners.add(listener);
  }

  unsubscribeAll(): void {
    this.#listeners.clear();
  }

  /**
   * Queries the store for all commits made before the call. The query is sent when the previous one
   * is answered; all calls until then share it.
   */
  catchUp(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const next = this.#inFlight
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#link.read((client) => this.#follow(client));
      });
    next.then(
      () => {
        this.#failure = undefined;
      },
      (error: unknown) => {
        this.#failure = error;
      },
    );
    this.#next = next;
    this.#inFlight = next;
    return next;
  }

  /** Catches up in pages after a pause: the next answer would hold all missed commits at once. */
  async catchUpAfterPause(): Promise<void> {
    if (this.#wasAway) await this.catchUp();
  }

  get #wasAway(): boolean {
    return performance.now() - this.#currentMs > AWAY_MS;
  }

  /**
   * Applies whole commits that follow the last received one, and skips those already received. False
   * when commits in between are missing: then the caller must catch up.
   */
  receive(rows: readonly LogRow[]): boolean {
    for (const commitRows of splitCommits(rows)) {
      const [{ sequence }] = commitRows;
      if (sequence <= this.#state.sequence) continue;
      if (sequence > this.#state.sequence + 1) return false;
      for (const row of commitRows) this.#state.apply(row);
      if (this.#listeners.isEmpty) continue;
      const commit = toCommit(commitRows);
      this.#listeners.notify(commit);
    }
    return true;
  }

  /**
   * Loads the state again if the store has another timeline. Checked on a new connection and then
   * once a second: a dump can be restored while connections stay open.
   */
  async checkTimeline(client: ClientBase): Promise<void> {
    const nowMs = performance.now();
    const checkedMs = this.#checkedMs.get(client) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - checkedMs < TIMELINE_CHECK_MS) return;
    const timeline = await readTimeline(client);
    while (timeline !== this.#timeline) await this.#adopt(timeline, client);
    this.#checkedMs.set(client, nowMs);
  }

  /** Connections that see another timeline at the same time share one reset; a failed one is repeated. */
  #adopt(timeline: string, client: ClientBase): Promise<void> {
    this.#adopting ??= this.#reset(client)
      .then(() => {
        this.#timeline = timeline;
      })
      .finally(() => {
        this.#adopting = undefined;
      });
    return this.#adopting;
  }

  async #follow(client: ClientBase): Promise<void> {
    await this.checkTimeline(client);
    // No caller waits for this catch-up; the next one meets the same failure and reports it.
    await this.#wakeUp.listen(client, () => void this.catchUp().catch(() => undefined));
    let limit = this.#wasAway ? FIRST_ROWS : PAGE_ROWS;
    for (;;) {
      const { isLastPage, rows } = await readRows(client, this.#state.sequence, limit);
      if (!this.receive(rows)) await this.#reset(client);
      if (isLastPage) break;
      limit = nextLimit(limit, rows);
    }
    this.#currentMs = performance.now();
  }

  /** Loads the current state, after commits were missed. */
  async #reset(client: ClientBase): Promise<void> {
    const state = await loadState(client);
    this.#state = state;
    this.#listeners.notifyReset(state.sequence);
  }
}

/**
 * The length of the next page, from the size of the last one: commits differ by orders of
 * magnitude.
 */
function nextLimit(limit: number, rows: readonly LogRow[]): number {
  // A page without a whole commit must grow.
  if (rows.length === 0) return limit * 2;
  let characters = 0;
  for (const { values } of rows) for (const value of values) characters += value.length;
  const fitting = Math.floor((rows.length * PAGE_CHARACTERS) / (characters + 1));
  return Math.max(2, Math.min(fitting, limit * 2, PAGE_ROWS));
}

/**
 * The timeline of PostgreSQL's write-ahead log, which changes when a copy is made the primary, and the
 * file of the table of changes, which changes when a dump is restored.
 */
export async function readTimeline(client: ClientBase): Promise<string> {
  const text = `SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) || ' ' || pg_relation_filenode('changes')`;
  const [row] = await queryRows(client, { text });
  return row?.[0] ?? '';
}
