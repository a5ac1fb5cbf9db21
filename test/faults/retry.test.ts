// Killed at any moment, the service does what carries an idempotency key exactly once, however often
// it is sent again; and of a bulk load it keeps whole batches, the first ones, with everything that
// it said was written.

import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../../src/sample/random.ts';
import type { RequestOptions } from '../http-client.ts';
import { ADMIN, API } from '../service.ts';
import { Client, codeOf } from './client.ts';
import { TemporaryDirectory } from './directory.ts';
import { GridkeepProcess } from './gridkeep-process.ts';
import { pickSeed, pickSize } from './sizes.ts';

const WRITERS = 8;
const RETRY_MS = 5;

/** A service that is killed and started again; clients find the one that runs. */
class MortalService implements AsyncDisposable {
  readonly #data: string;
  #process: GridkeepProcess;
  client: Client;

  static async start(data: string): Promise<MortalService> {
    return new MortalService(data, await GridkeepProcess.start({ data }));
  }

  private constructor(data: string, process: GridkeepProcess) {
    this.#data = data;
    this.#process = process;
    this.client = new Client(process.port);
  }

  async restart(): Promise<void> {
    await this.#process.kill();
    this.client[Symbol.dispose]();
    this.#process = await GridkeepProcess.start({ data: this.#data });
    this.client = new Client(this.#process.port);
  }

  kill(): Promise<unknown> {
    return this.#process.kill();
  }

  async createRegion(name: string): Promise<void> {
    const body = JSON.stringify({ name });
    const reply = await this.client.sendTo('POST', `${ADMIN}/regions`, { body });
    assert.equal(reply?.status, 201);
  }

  /** Sends again and again until there is an answer that is not about the attempt itself. */
  async insist(path: string, options: RequestOptions): Promise<{ status: number; code: string }> {
    for (;;) {
      const reply = await this.client.send('POST', path, options);
      const code = reply === undefined || reply.status < 400 ? '' : codeOf(reply);
      const isOpen =
        reply === undefined || reply.status === 503 || code === 'request/idempotency-key-in-use';
      if (!isOpen) return { status: reply.status, code };
      await delay(RETRY_MS);
    }
  }

  async values(region: string): Promise<readonly Record<string, unknown>[]> {
    const { text } = await this.client.get(`/${region}?limit=ALL`);
    return JSON.parse(text)[region];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client[Symbol.dispose]();
    await this.#process[Symbol.asyncDispose]();
  }
}

describe('kill -9 and retries with an idempotency key', () => {
  const kills = pickSize({ quick: 2, short: 12 });

  it(`does everything exactly once, over ${kills} kills`, async () => {
    using directory = new TemporaryDirectory();
    await using service = await MortalService.start(directory.join('data'));
    for (const region of ['added', 'left', 'right']) await service.createRegion(region);
    const random = createRandom(pickSeed());
    const sent: string[] = [];
    const wrong: string[] = [];
    let isOver = false;
    const write = async (writer: number): Promise<void> => {
      for (let i = 0; !isOver; i += 1) {
        const by = `${writer}-${i}`;
        sent.push(by);
        // Done twice, the first would add two entries and the second would find its keys taken.
        const added = await service.insist('/added', keyed(`add ${by}`, { by }));
        const created = await service.insist('/_tx', keyed(`tx ${by}`, createBoth(by)));
        if (added.status !== 201) wrong.push(`${by}: ${added.status} ${added.code}`);
        if (created.status !== 200) wrong.push(`${by}: ${created.status} ${created.code}`);
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    for (let kill = 0; kill < kills; kill += 1) {
      const enough = sent.length + random.between(5, 60);
      while (sent.length < enough) await delay(1);
      await service.restart();
    }
    isOver = true;
    await Promise.all(writers);
    assert.deepEqual(wrong, []);
    for (const region of ['added', 'left', 'right']) {
      const found = (await service.values(region)).map(({ by }) => String(by)).sort();
      assert.deepEqual(found, [...sent].sort(), region);
    }
  });
});

function keyed(key: string, body: unknown): RequestOptions {
  return { body: JSON.stringify(body), headers: { 'Idempotency-Key': key } };
}

function createBoth(by: string): unknown {
  return {
    do: ['left', 'right'].map((region) => ({ op: 'create', region, key: by, value: { by } })),
  };
}

describe('kill -9 during a bulk load', () => {
  const kills = pickSize({ quick: 2, short: 10 });

  it(`leaves whole batches, and all that it said was written, in ${kills} loads`, async () => {
    using directory = new TemporaryDirectory();
    await using service = await MortalService.start(directory.join('data'));
    const random = createRandom(pickSeed());
    for (let kill = 0; kill < kills; kill += 1) {
      const region = `load-${kill}`;
      await service.createRegion(region);
      const said = await loadUntilKilled(service, region, random.between(1, 12) * 500);
      await service.restart();
      const places = (await service.values(region)).map(({ i }) => Number(i)).sort((a, b) => a - b);
      // The first items, without a gap: a batch is there whole, or not at all.
      assert.deepEqual(
        places,
        places.map((_, i) => i),
      );
      assert.ok(places.length >= said, `${places.length} of ${said} that it said were written`);
    }
  });
});

/** Sends lines without end; gives how many the service said were written when it was killed. */
async function loadUntilKilled(
  service: MortalService,
  region: string,
  until: number,
): Promise<number> {
  const sent = httpRequest({
    port: service.client.port,
    method: 'POST',
    path: `${API}/${region}/_bulk?results=stream`,
    headers: { 'Content-Type': 'application/x-ndjson' },
  });
  let isOver = false;
  // The error that comes first says only that the service is gone.
  sent.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    sent.on('close', () => {
      isOver = true;
      resolve();
    });
  });
  let said = 0;
  let rest = '';
  sent.on('response', (answer) => {
    answer.on('error', () => undefined);
    answer.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        assert.equal(JSON.parse(line).index, said);
        said += 1;
      }
      if (said >= until && !isOver) {
        isOver = true;
        void service.kill();
      }
    });
  });
  for (let i = 0; !isOver; i += 1) {
    const more = sent.write(`{"key":"k${i}","value":{"i":${i},"pad":"${'x'.repeat(i % 400)}"}}\n`);
    if (more) continue;
    const drained = new Promise<void>((resolve) => sent.once('drain', resolve));
    await Promise.race([drained, closed]);
  }
  await closed;
  return said;
}
