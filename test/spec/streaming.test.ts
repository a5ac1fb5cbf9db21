// Reads of any size are streamed from one snapshot with bounded memory, and end when the client
// disconnects.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { json, RawConnection } from '../http-client.ts';
import { API, manyEntries, onEveryEngine, Service } from '../service.ts';
import { until } from '../until.ts';

const MANY = manyEntries(4000, 400);
/** Far more than sockets buffer. */
const LARGE = manyEntries(160, 64 * 1024);
const LARGE_BYTES = Object.values(LARGE).join(',').length;

onEveryEngine('Streaming', (service, engine) => {
  it('returns every value of a region much larger than a batch, in order', async () => {
    const region = await service().region(MANY);
    const answer = await service().get(`/${region}?limit=ALL`);
    assert.equal(answer.headers['transfer-encoding'], 'chunked');
    assert.equal(answer.text, `{"${region}":[${Object.values(MANY).join(',')}]}`);
    const part = await service().get(`/${region}?limit=3999`);
    const [values] = Object.values(json(part) as Record<string, { i: number }[]>);
    assert.deepEqual(
      values?.map((value) => value.i),
      Array.from({ length: 3999 }, (_, i) => i),
    );
    assert.equal(service().engine.stats().openSnapshots, 0);
  });

  it('reads no further than the client, and ends when the client disconnects', async () => {
    let batches = 0;
    await using own = await Service.start({
      engine,
      failures: (call) => {
        if (call === 'snapshot.scan-values') batches += 1;
        return undefined;
      },
    });
    const region = await own.region(LARGE);
    await own.get(`/${region}?limit=ALL`);
    const whole = batches;
    batches = 0;
    const connection = await RawConnection.open(own.port);
    connection.socket.pause();
    connection.write(`GET ${API}/${region}?limit=ALL HTTP/1.1\r\nHost: x\r\n\r\n`);
    // The scan has stopped when its count is the same before and after all other callbacks ran.
    let seen = -1;
    while (batches === 0 || seen !== batches) {
      seen = batches;
      for (let i = 0; i < 200; i += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(batches < whole, `${batches} of ${whole} batches were read ahead`);
    assert.equal(own.engine.stats().openSnapshots, 1);
    connection.socket.destroy();
    await until(() => own.engine.stats().openSnapshots === 0);
    assert.ok(batches < whole);
  });

  it('disconnects a client that reads nothing for the stall limit', async () => {
    await using own = await Service.start({ engine, server: { stalledClientMs: 30 } });
    const region = await own.region(LARGE);
    using connection = await RawConnection.open(own.port);
    connection.socket.pause();
    connection.write(`GET ${API}/${region}?limit=ALL HTTP/1.1\r\nHost: x\r\n\r\n`);
    const finished = (): boolean =>
      own.observations.some((observation) => observation.kind === 'request-finished');
    await until(finished);
    assert.equal(own.engine.stats().openSnapshots, 0);
    assert.equal(own.server.requestsInFlight, 0);
    connection.socket.resume();
    const received = await connection.untilClosed();
    assert.ok(received.length < LARGE_BYTES);
    assert.doesNotMatch(received, /\]\}\r\n0\r\n\r\n$/);
  });

  it('answers a HEAD without scanning, and leaves nothing open', async () => {
    const region = await service().region(manyEntries(500));
    await service().send('HEAD', `/${region}?limit=ALL`);
    assert.equal(service().engine.stats().openSnapshots, 0);
  });

  it('shows one commit, whatever is written while it is read', async () => {
    const region = await service().region(LARGE);
    using connection = await RawConnection.open(service().port);
    connection.write(
      `GET ${API}/${region}?limit=ALL HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    connection.socket.pause();
    await until(() => service().engine.stats().openSnapshots > 0);
    const keys = Object.keys(LARGE);
    for (let i = 0; i < keys.length; i += 20) {
      const some = keys.slice(i, i + 20);
      const body = `[${some.map(() => '{"i":-1}').join(',')}]`;
      await service().send('PUT', `/${region}?keys=${some.join(',')}`, { body });
    }
    await service().send('DELETE', `/${region}`);
    connection.socket.resume();
    const received = await connection.untilClosed();
    assert.equal(received.match(/"i":-1/g), null);
    assert.equal(received.match(/"pad"/g)?.length, keys.length);
    assert.equal((await service().get(`/${region}`)).text, `{"${region}":[]}`);
  });
});

onEveryEngine('Atomicity for readers', (service) => {
  const KEYS = Array.from({ length: 8 }, (_, i) => `k${i}`);

  it('never shows half of a multi-key REPLACE, by keys or by limit=ALL', async () => {
    const generation = (n: number): string[] => KEYS.map(() => `{"g":${n}}`);
    const region = await service().region(Object.fromEntries(KEYS.map((key) => [key, '{"g":0}'])));
    let writing = true;
    const writer = async (): Promise<void> => {
      for (let n = 1; n <= 60; n += 1) {
        const body = `[${generation(n).join(',')}]`;
        const path = `/${region}/${KEYS.join(',')}?op=REPLACE`;
        assert.equal((await service().send('PUT', path, { body })).status, 200);
      }
      writing = false;
    };
    let reads = 0;
    const reader = async (path: string): Promise<void> => {
      let last = -1;
      while (writing) {
        const answer = await service().get(path);
        const [values] = Object.values(json(answer) as Record<string, { g: number }[]>);
        const seen = new Set(values?.map((value) => value.g));
        assert.equal(values?.length, KEYS.length);
        assert.equal(seen.size, 1, `torn: ${answer.text}`);
        const [g = -1] = seen;
        assert.ok(g >= last, 'a reader went back in time');
        last = g;
        reads += 1;
      }
    };
    const all = [`/${region}/${KEYS.join(',')}`, `/${region}?limit=ALL`, `/${region}`];
    await Promise.all([writer(), ...all.map(reader), ...all.map(reader)]);
    assert.ok(reads > 60, `only ${reads} reads`);
  });

  it('keeps a sum that writers move around', async () => {
    const region = await service().region(Object.fromEntries(KEYS.map((key) => [key, '{"n":10}'])));
    let writing = 3;
    const writer = async (seed: number): Promise<void> => {
      let state = seed;
      for (let i = 0; i < 25; i += 1) {
        state = (state * 1103515245 + 12345) % 2 ** 31;
        const from = state % 8;
        const to = (from + 1 + (state % 7)) % 8;
        await transfer(region, `k${from}`, `k${to}`);
      }
      writing -= 1;
    };
    const reader = async (path: string): Promise<void> => {
      while (writing > 0) {
        const [values] = Object.values(
          json(await service().get(path)) as Record<string, { n: number }[]>,
        );
        assert.equal(
          values?.reduce((sum, value) => sum + value.n, 0),
          80,
        );
      }
    };
    const paths = [`/${region}/${KEYS.join(',')}`, `/${region}?limit=ALL`];
    await Promise.all([writer(1), writer(2), writer(3), ...paths.map(reader)]);
  });

  const locks = new Map<string, Promise<unknown>>();

  /** Moves one unit from one key to another; writers take turns, readers do not wait. */
  function transfer(region: string, from: string, to: string): Promise<unknown> {
    const turn = (locks.get(region) ?? Promise.resolve()).then(async () => {
      const read = await service().get(`/${region}/${from},${to}`);
      const [[a, b] = []] = Object.values(json(read) as Record<string, { n: number }[]>);
      const body = `[{"n":${(a?.n ?? 0) - 1}},{"n":${(b?.n ?? 0) + 1}}]`;
      const path = `/${region}/${from},${to}?op=REPLACE`;
      assert.equal((await service().send('PUT', path, { body })).status, 200);
    });
    locks.set(region, turn);
    return turn;
  }
});
