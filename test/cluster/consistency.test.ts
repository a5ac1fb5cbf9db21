// Three servers over one database: single keys are linearizable through any of them, and no reader sees
// half of a multi-key write, while servers and the database are killed and restarted.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pickSeed } from '../../src/value/testing/share-of-runs.ts';
import { REGION as ACCOUNTS, type BankFigures, runBank } from '../consistency/bank.ts';
import { type HistoryFigures, REGION, recordHistories } from '../consistency/key-histories.ts';
import type { Reply } from '../faults/client.ts';
import { pickSize } from '../faults/sizes.ts';
import { Cluster } from './cluster.ts';

const SERVERS = 3;
/** Pause of a reader that got no answer. */
const RETRY_MS = 5;

/** Shared by all tests, which use separate keys and regions. */
let cluster: Cluster;

before(async () => {
  cluster = await Cluster.start({
    servers: SERVERS,
    seed: pickSeed(),
    yaml: `regions: [{ name: ${REGION} }, { name: ${ACCOUNTS} }, { name: together }]\n`,
  });
});

after(() => cluster?.[Symbol.asyncDispose]());

async function record(
  kills: number,
  mutate?: (send: (method: string, path: string, body?: string) => Promise<Reply>) => typeof send,
): Promise<HistoryFigures> {
  const plain = (method: string, path: string, body?: string): Promise<Reply> =>
    cluster.send(method, path, body);
  const send = mutate?.(plain) ?? plain;
  return await recordHistories({
    data: '',
    seed: pickSeed(),
    ...pickSize({
      quick: { keys: 8, clientsPerKey: 4, operations: 15 },
      short: { keys: 48, clientsPerKey: 4, operations: 40 },
    }),
    keyPrefix: `${kills}-kills-`,
    kills,
    service: { send, restart: () => cluster.crashInTurn(), end: async () => undefined },
  });
}

describe('three servers over one database', () => {
  it('keep single keys linearizable while servers and the database are killed', async () => {
    const { operations, violations } = await record(pickSize({ quick: 2, short: 9 }));
    assert.deepEqual(violations, []);
    assert.ok(operations > 0);
  });

  it('control: a server that answers reads from stale memory is detected', async () => {
    const { violations } = await record(0, (send) => {
      const cache = new Map<string, Reply>();
      let reads = 0;
      return async (method, path, body) => {
        if (method === 'GET' && cache.has(path) && ++reads % 3 === 0) return cache.get(path);
        const reply = await send(method, path, body);
        if (method === 'GET') cache.set(path, reply);
        return reply;
      };
    });
    assert.ok(violations.length > 0, 'the fault is not detected');
  });

  const bank = async (kills: number, isSplit: boolean): Promise<BankFigures> => {
    return await runBank({
      data: '',
      seed: pickSeed(),
      ...pickSize({
        quick: { transfers: 60, readers: 1 },
        short: { transfers: 1000, readers: 2 },
      }),
      kills,
      isSplit,
      service: {
        send: (...args) => cluster.send(...args),
        restart: () => cluster.crashInTurn(),
        end: async () => undefined,
      },
    });
  };

  it('show the same total of all accounts to every reader, across kills', async () => {
    const { reads, wrong } = await bank(pickSize({ quick: 1, short: 9 }), false);
    assert.deepEqual(wrong, []);
    assert.ok(reads > 50, `only ${reads} reads`);
  });

  it('control: transfers in two steps are detected', async () => {
    assert.notDeepEqual((await bank(0, true)).wrong, []);
  });

  it('never show half of a multi-key write, with any kind of read', async () => {
    const keys = ['k1', 'k2', 'k3', 'k4'];
    const path = `/together/${keys.join()}`;
    await cluster.send('PUT', path, '[{"n":1},{"n":1},{"n":1},{"n":1}]');
    const rounds = pickSize({ quick: 40, short: 400 });
    let isOver = false;
    let reads = 0;
    const write = async (): Promise<void> => {
      for (let n = 0; n < rounds; n += 1) {
        const body = `[${keys.map(() => `{"n":${n}}`).join()}]`;
        await cluster.send('PUT', `${path}?op=REPLACE`, body);
        if (n === Math.floor(rounds / 2)) await cluster.replaceServer();
      }
      isOver = true;
    };
    const torn: string[] = [];
    const query = encodeURIComponent('SELECT DISTINCT a.n FROM /together a');
    const read = async (where: string): Promise<void> => {
      while (!isOver) {
        const reply = await cluster.send('GET', where);
        if (reply?.status !== 200) {
          await delay(RETRY_MS);
          continue;
        }
        reads += 1;
        const numbers = new Set(reply.text.match(/\d+(?=[\]},])/g));
        if (numbers.size !== 1) torn.push(`${where}: ${reply.text}`);
      }
    };
    await Promise.all([
      write(),
      read(path),
      read('/together?limit=ALL'),
      read('/together'),
      read(`/queries/adhoc?q=${query}`),
    ]);
    assert.deepEqual(torn, []);
    assert.ok(reads > rounds / 4, `${reads} reads`);
  });
});
