// The kinds of work that are measured, with their bars and requests.

import { createRandom, printRequest, repeat } from '../shared/requests.ts';
import { makeKey, makeValue, REGION, SMALLER_REGION } from './entries.ts';

export type WorkName =
  | 'get-one'
  | 'get-hundred-keys'
  | 'get-hundred-of-all'
  | 'head-region'
  | 'get-region'
  | 'get-region-anew'
  | 'get-all'
  | 'put-one';

export interface Work {
  readonly name: WorkName;
  readonly title: string;
  /** Minimum of our rate divided by that of the bare server. */
  readonly bar: number;
  readonly unit: 'requests' | 'bytes';
  readonly connections: number;
  /** How many times as long its rounds are. */
  readonly duration?: number;
}

// biome-ignore format: a table reads best as one
export const WORK: readonly Work[] = [
  { name: 'get-one',          title: 'GET one entry',                 bar: 0.8,  unit: 'requests', connections: 64 },
  { name: 'get-hundred-keys', title: 'GET 100 keys',                  bar: 0.68, unit: 'requests', connections: 64 },
  // Among so many keys few are read twice: the store caches values that are read again.
  { name: 'get-hundred-of-all', title: 'GET 100 keys of all',         bar: 0.5,  unit: 'requests', connections: 64 },
  { name: 'head-region',      title: 'HEAD region size',              bar: 0.85, unit: 'requests', connections: 64 },
  { name: 'get-region',       title: 'GET region, default 50',        bar: 0.5,  unit: 'requests', connections: 64 },
  // The first page is cached while nothing changes; pages of different sizes are not.
  { name: 'get-region-anew',  title: 'GET region, 41 to 50 in turn', bar: 0.7,  unit: 'requests', connections: 64 },
  // 64 concurrent answers of 34 MB would measure how long they wait for each other.
  { name: 'get-all',          title: 'limit=ALL, 100,000 entries',    bar: 0.5,  unit: 'bytes',    connections: 4 },
  // Rounds long enough for a checkpoint or two, which make writes slower for a while.
  { name: 'put-one',          title: 'PUT one entry, durable',        bar: 0.65, unit: 'requests', connections: 64, duration: 3 },
];

/** Distinct requests of a job, too many for the CPU cache. */
const DISTINCT = 10_000;
const API = '/grid-api/v1';

/** Requests that are sent repeatedly in this order. */
export function makeRequests(name: WorkName, host: string, entries: number): readonly Buffer[] {
  const random = createRandom(7);
  const key = (): string => makeKey(random(entries));
  switch (name) {
    case 'get-one':
      return repeat(DISTINCT, () =>
        printRequest({ host, method: 'GET', path: `${API}/${REGION}/${key()}` }),
      );
    case 'get-hundred-keys':
    case 'get-hundred-of-all':
      return repeat(name === 'get-hundred-keys' ? DISTINCT / 10 : DISTINCT, () => {
        const keys = Array.from({ length: 100 }, key).join(',');
        return printRequest({ host, method: 'GET', path: `${API}/${REGION}/${keys}` });
      });
    case 'head-region':
      return [printRequest({ host, method: 'HEAD', path: `${API}/${REGION}` })];
    case 'get-region':
      return [printRequest({ host, method: 'GET', path: `${API}/${REGION}` })];
    case 'get-region-anew':
      return repeat(DISTINCT, () =>
        printRequest({ host, method: 'GET', path: `${API}/${REGION}?limit=${41 + random(10)}` }),
      );
    case 'get-all':
      return [printRequest({ host, method: 'GET', path: `${API}/${SMALLER_REGION}?limit=ALL` })];
    case 'put-one':
      return repeat(DISTINCT, () => {
        const index = random(entries);
        const path = `${API}/${REGION}/${makeKey(index)}`;
        return printRequest({ host, method: 'PUT', path, body: makeValue(index) });
      });
  }
}

/** A request that reads every entry, before memory is measured. */
export function readEverything(host: string): Buffer {
  return printRequest({ host, method: 'GET', path: `${API}/${REGION}?limit=ALL` });
}
