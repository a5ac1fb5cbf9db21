// A second server of a store in this process. It receives commits only when it catches up, and
// after each other asynchronous call. For tests of caches above the port.

import type { Commit, Engine, EngineListener } from '../engine.ts';

export interface LateEngine {
  readonly engine: Engine;
  /** Loses commits not received yet, as if the log had been trimmed. */
  loseCommits(): void;
}

export function createLateEngine(store: Engine): LateEngine {
  const listeners = new Set<EngineListener>();
  let pending: Commit[] = [];
  let isReset = false;
  store.subscribe({ onCommit: (commit) => pending.push(commit), onReset: () => undefined });
  const catchUp = async (): Promise<void> => {
    const commits = isReset ? [] : pending;
    pending = [];
    if (isReset) for (const { onReset } of listeners) onReset(store.stats().sequence);
    isReset = false;
    for (const commit of commits) for (const { onCommit } of listeners) onCommit(commit);
  };
  const engine = new Proxy(store, {
    get(_, property) {
      if (property === 'catchUp') return catchUp;
      if (property === 'subscribe') {
        return (listener: EngineListener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        };
      }
      const member: unknown = Reflect.get(store, property);
      if (typeof member !== 'function') return member;
      if (property === 'stats' || property === 'health') return member.bind(store);
      return async (...parameters: unknown[]): Promise<unknown> => {
        const result: unknown = await Reflect.apply(member, store, parameters);
        await catchUp();
        return result;
      };
    },
  });
  return {
    engine,
    loseCommits: () => {
      isReset = true;
    },
  };
}
