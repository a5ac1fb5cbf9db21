// Follows the query of a tab: its rows and their changes, until it is stopped.

import { call } from '../../api/session.ts';
import { LiveRows } from './live-rows.ts';
import { remember } from './query-history.ts';
import { MAX_ROWS, openQuery, type RunRequest, runOf, setRun } from './run-query.ts';

const SHOWN_EVERY_MS = 150;

/** By tab. */
const followed = new Map<string, () => void>();

export async function followQuery(
  tab: string,
  request: Pick<RunRequest, 'parameters' | 'queryId' | 'text'>,
): Promise<void> {
  const controller = new AbortController();
  const live = new LiveRows();
  let shownChanges = -1;
  let hadFresh = false;
  const show = (isStopped: boolean): void => {
    if (!live.isReady || (controller.signal.aborted && !isStopped)) return;
    const { fresh, rows } = live.show(performance.now());
    const isSame = live.changes === shownChanges && fresh.size === 0 && !hadFresh;
    if (isSame && !isStopped) return;
    shownChanges = live.changes;
    hadFresh = fresh.size > 0;
    setRun(tab, {
      kind: 'live',
      rows: rows.slice(0, MAX_ROWS),
      isCut: rows.length > MAX_ROWS,
      fresh: isStopped ? new Set() : fresh,
      changes: live.changes,
      isStopped,
    });
  };
  const stop = (): void => {
    controller.abort();
    if (live.isReady) show(true);
    else setRun(tab, { kind: 'cancelled' });
  };
  setRun(tab, { kind: 'running', rows: 0, cancel: () => stopFollowing(tab) });
  followed.set(tab, stop);
  const timer = setInterval(() => show(false), SHOWN_EVERY_MS);
  try {
    await call(async (client) => {
      for await (const event of openQuery(client, request, controller.signal).liveWithTextIds()) {
        if (!live.isReady && request.queryId === undefined) remember(request.text);
        live.take(event, performance.now());
      }
    });
  } catch (error) {
    if (!controller.signal.aborted) setRun(tab, { kind: 'failed', error });
  } finally {
    clearInterval(timer);
    if (followed.get(tab) === stop) followed.delete(tab);
  }
}

export function isFollowing(tab: string): boolean {
  const state = runOf(tab);
  return state.kind === 'live' && !state.isStopped;
}

export function stopFollowing(tab: string): void {
  const stop = followed.get(tab);
  followed.delete(tab);
  stop?.();
}

/** Stops the queries of all other tabs. */
export function stopOthers(tabs: readonly string[]): void {
  for (const tab of followed.keys()) if (!tabs.includes(tab)) stopFollowing(tab);
}
