// Follows the log: takes in every commit once and in order, of this server and of others, and
// notifies the listeners.

import type { ClientBase } from 'pg';
import type { EngineListener } from '../engine.ts';
import { Listeners } from '../listeners.ts';
import { type LogRow, readRows, splitCommits, toCommit } from './change-log.ts';
import type { Link } from './link.ts';
import { loadState } from './load-state.ts';
import type { StoreState } from './store-state.ts';
import type { WakeUp } from './wake-up.ts';

/** Where following begins. */
interface FollowedStore {
  readonly state: StoreState;
  /** See `readHistory`. */
  readonly history: string;
}

export class Follower {
  readonly #link: Link;
  readonly #wakeUp: WakeUp;
  readonly #listeners = new Listeners();
  #state: StoreState;
  /** Identity and timeline of the store that `#state` is of. */
  #history: string;
  /** Not sent yet: calls of this turn share it. */
  #next: Promise<void> | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #failure: unknown;
  readonly #recognized = new WeakSet<ClientBase>();

  constructor(link: Link, wakeUp: WakeUp, { history, state }: FollowedStore) {
    this.#link = link;
    this.#wakeUp = wakeUp;
    this.#state = state;
    this.#history = history;
  }

  /** Why the last question failed, until one is answered. */
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
   * Asks the store for all commits made before the call. The question is sent when the one before
   * it was answered; all calls until then share it.
   */
  catchUp(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const next = this.#underWay
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
    this.#underWay = next;
    return next;
  }

  /**
   * Takes in whole commits that follow the last one received, and skips those already received.
   * False when commits between are missing: then only catching up helps.
   */
  hear(rows: readonly LogRow[]): boolean {
    for (const commitRows of splitCommits(rows)) {
      const [{ sequence }] = commitRows;
      if (sequence <= this.#state.sequence) continue;
      if (sequence > this.#state.sequence + 1) return false;
      for (const row of commitRows) this.#state.apply(row);
      if (this.#listeners.isEmpty) continue;
      const commit = toCommit(commitRows);
      this.#listeners.tell(commit);
    }
    return true;
  }

  /** Looks, on a new connection, whether this is still the store that was followed. */
  async recognize(client: ClientBase): Promise<void> {
    if (this.#recognized.has(client)) return;
    const history = await readHistory(client);
    this.#recognized.add(client);
    if (history === this.#history) return;
    this.#history = history;
    await this.#reset(client);
  }

  async #follow(client: ClientBase): Promise<void> {
    await this.recognize(client);
    // No caller waits for this catch-up; the next one meets the same failure and reports it.
    await this.#wakeUp.listen(client, () => void this.catchUp().catch(() => undefined));
    for (;;) {
      const { isRest, rows } = await readRows(client, this.#state.sequence);
      if (!this.hear(rows)) await this.#reset(client);
      if (isRest) return;
    }
  }

  /** Commits were missed: begins anew with the store as it is. */
  async #reset(client: ClientBase): Promise<void> {
    const state = await loadState(client);
    this.#state = state;
    this.#listeners.tellReset(state.sequence);
  }
}

/** Differs between stores, and between a store and a copy of it that was made the primary. */
export async function readHistory(client: ClientBase): Promise<string> {
  const { rows } = await client.query<(string | null)[]>({
    text: 'SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)',
    rowMode: 'array',
  });
  return rows[0]?.[0] ?? '';
}
