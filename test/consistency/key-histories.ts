// C1: several clients per key read, write and swap unique values, while the service is sometimes
// killed. Every call and answer is recorded. A request without an answer stays open, for it may have
// been executed.

import { createRandom, type Random } from '../../src/sample/random.ts';
import type { Reply } from '../faults/client.ts';
import { type BreakableService, openService } from './killed-service.ts';
import { isLinearizable, type Operation, type Recorded } from './linearizability.ts';

export interface HistoryOptions {
  /** The data directory of a service, or an existing service. */
  readonly data: string;
  readonly service?: BreakableService;
  readonly seed: number;
  readonly keys: number;
  /** Prefix of the keys; each history uses new ones. */
  readonly keyPrefix?: string;
  readonly clientsPerKey: number;
  readonly operations: number;
  readonly kills: number;
  readonly fault?: string;
  /** Wraps the requests of clients; the mutants of the test use it. */
  readonly mutate?: (send: Send, random: Random) => Send;
  readonly onProgress?: (done: number, total: number) => void;
}

export type Send = (method: 'GET' | 'PUT', path: string, body?: string) => Promise<Reply>;

export interface HistoryFigures {
  readonly operations: number;
  readonly unanswered: number;
  /** Keys whose history is not linearizable. */
  readonly violations: readonly string[];
}

export const REGION = 'registers';
/** Concurrent keys; with four clients each, far below the limit of requests in flight. */
const KEYS_AT_ONCE = 16;

export async function recordHistories(options: HistoryOptions): Promise<HistoryFigures> {
  const random = createRandom(options.seed);
  const service = options.service ?? (await openService({ ...options, region: REGION }));
  const total = options.keys * options.clientsPerKey * options.operations;
  const killAt = Array.from({ length: options.kills }, () => random.between(1, total - 1));
  const send = (options.mutate ?? ((it) => it))((...args) => service.send(...args), random);
  const violations: string[] = [];
  let events = 0;
  let values = 0;
  let done = 0;
  let unanswered = 0;
  const count = async (): Promise<void> => {
    done += 1;
    options.onProgress?.(done, total);
    if (killAt.includes(done)) await service.restart();
  };
  const work = async (key: string, history: Recorded[]): Promise<void> => {
    let known: number | undefined;
    for (let i = 0; i < options.operations; i += 1) {
      const called = ++events;
      const path = `/${REGION}/${key}`;
      const choice = random.between(1, 10);
      let operation: Operation | undefined;
      let isUnanswered = false;
      if (choice <= 5) {
        const reply = await send('GET', path);
        if (reply?.status === 200 || reply?.status === 404) {
          known = foundIn(reply);
          operation = { kind: 'read', found: known };
        }
      } else if (choice <= 8 || known === undefined) {
        const value = ++values;
        const reply = await send('PUT', path, `{"v":${value}}`);
        operation = { kind: 'write', value };
        isUnanswered = reply?.status !== 200;
      } else {
        const value = ++values;
        const body = `{"@old":{"v":${known}},"@new":{"v":${value}}}`;
        const reply = await send('PUT', `${path}?op=CAS`, body);
        const swapped = reply?.status !== 409;
        operation = { kind: 'swap', from: known, to: value, swapped };
        isUnanswered = reply?.status !== 200 && reply?.status !== 409;
      }
      const answered = ++events;
      if (isUnanswered) unanswered += 1;
      if (operation !== undefined) {
        history.push(isUnanswered ? { operation, called } : { operation, called, answered });
      }
      await count();
    }
  };
  try {
    for (let from = 0; from < options.keys; from += KEYS_AT_ONCE) {
      const some = Array.from(
        { length: Math.min(KEYS_AT_ONCE, options.keys - from) },
        (_, i) => `${options.keyPrefix ?? 'k'}${from + i}`,
      );
      await Promise.all(
        some.map(async (key) => {
          const history: Recorded[] = [];
          const clients = Array.from({ length: options.clientsPerKey }, () => work(key, history));
          await Promise.all(clients);
          if (!isLinearizable(history)) violations.push(key);
        }),
      );
    }
  } finally {
    await service.end();
  }
  return { operations: done, unanswered, violations };
}

function foundIn(reply: Reply): number | undefined {
  return reply?.status === 200 ? JSON.parse(reply.text)[REGION][0].v : undefined;
}
