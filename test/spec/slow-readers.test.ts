// Clients that read their answers slowly or not at all. A slow client gets its answer, a stalled one
// is disconnected, and neither keeps others from being served.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { RawConnection, statusesIn } from '../http-client.ts';
import { API, manyEntries, Service, type ServiceSettings } from '../service.ts';
import { until } from '../until.ts';

/** More than the buffers of the system hold for a client that does not read. */
const LARGE = manyEntries(160, 64 * 1024);
const LARGE_BYTES = Object.values(LARGE).join().length;
/**
 * A slow client reads 64 KiB in `SLOW_MS`. Its system frees its receive buffer in steps of a
 * sixteenth: 300 KB were seen, in half a second. The server's system reports free space once a third
 * of its send buffer is free: 1.3 MB, in two seconds. The limit lies between the two.
 */
const SLOW_MS = 100;
const STALLED_MS = 1_500;
const WHOLE = /\]\}\r\n0\r\n\r\n$/;
const unseen = !existsSync('/proc/net/tcp') && 'the system does not show its send queues';

function read(path: string): string {
  return `GET ${API}${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
}

/** Reads a chunk of at most 64 KiB at intervals, until `isEnough`. */
async function readSlowly(
  { socket }: RawConnection,
  everyMs: number,
  isEnough: (chunks: number) => boolean,
): Promise<void> {
  let chunks = 0;
  const onData = (): void => {
    socket.pause();
    chunks += 1;
  };
  socket.on('data', onData);
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (!isEnough(chunks)) socket.resume();
      else {
        clearInterval(timer);
        resolve();
      }
    }, everyMs);
  });
  socket.off('data', onData);
  socket.resume();
}

// Concurrent, because the tests mostly wait; each has its own service.
describe('slow readers', { concurrency: true }, () => {
  for (const reading of ['direct', 'node'] as const) {
    const open = (settings: ServiceSettings): Promise<Service> =>
      Service.start({ ...settings, http: { reading } });

    /** Requests everything and reads nothing. */
    const openIdle = async (service: Service, region: string): Promise<RawConnection> => {
      const connection = await RawConnection.open(service.port);
      connection.socket.pause();
      connection.write(read(`/${region}?limit=ALL`));
      return connection;
    };

    describe(`answers that wait for their clients, read by ${reading}`, () => {
      it('do not count as requests in flight', async () => {
        await using service = await open({ server: { maxRequestsInFlight: 3 } });
        const region = await service.region(LARGE);
        const idle: RawConnection[] = [];
        while (idle.length < 5) {
          idle.push(await openIdle(service, region));
          await until(() => service.server.requestsWaiting === idle.length);
        }
        assert.equal(service.server.activeStreams, idle.length);
        for (let times = 0; times < 3; times += 1) {
          assert.equal((await service.get(`/${region}?limit=5`)).status, 200);
          assert.equal((await service.get(`/${region}/keys`)).status, 200);
          const body = '{"a":1}';
          assert.equal((await service.send('PUT', `/${region}/own`, { body })).status, 200);
        }
        assert.equal(service.server.requestsWaiting, idle.length);
        for (const { socket } of idle) socket.destroy();
        await until(() => service.server.requestsInFlight === 0);
        assert.deepEqual([service.server.requestsWaiting, service.server.activeStreams], [0, 0]);
        assert.equal(service.engine.stats().openSnapshots, 0);
      });

      it('are limited per client address, and other addresses are served', async () => {
        await using service = await open({ server: { maxStreams: 3, maxStreamsPerClient: 2 } });
        const region = await service.region(LARGE);
        const idle = [await openIdle(service, region), await openIdle(service, region)];
        await until(() => service.server.requestsWaiting === idle.length);
        const refused = await service.get(`/${region}?limit=ALL`);
        assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1']);
        assert.equal((await service.get(`/${region}?limit=5`)).status, 200);
        // The refused stream holds no snapshot.
        await until(() => service.engine.stats().openSnapshots === idle.length);
        const other = connect({ port: service.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
        other.write(read(`/${region}/keys`));
        const [bytes] = await new Promise<Buffer[]>((resolve) =>
          other.once('data', (first: Buffer) => resolve([first])),
        );
        assert.deepEqual(statusesIn(String(bytes)), [200]);
        other.destroy();
        for (const { socket } of idle) socket.destroy();
        await until(() => service.server.requestsInFlight === 0);
        assert.equal((await service.get(`/${region}?limit=ALL`)).status, 200);
      });

      it('count as memory in flight', async () => {
        await using service = await open({ server: { maxBodyBytesInFlight: 600 * 1024 } });
        const region = await service.region(LARGE);
        const idle = [await openIdle(service, region), await openIdle(service, region)];
        await until(() => service.server.requestsWaiting === idle.length);
        assert.equal((await service.get(`/${region}?limit=ALL`)).status, 503);
        assert.equal((await service.get(`/${region}?limit=1`)).status, 200);
        for (const { socket } of idle) socket.destroy();
        await until(() => service.server.requestsInFlight === 0);
        assert.equal((await service.get(`/${region}?limit=ALL`)).status, 200);
      });
    });

    describe(`a client that takes its answer slowly, read by ${reading}`, () => {
      it('gets all of it while it keeps reading', { skip: unseen }, async () => {
        await using service = await open({ server: { stalledClientMs: STALLED_MS } });
        const region = await service.region(LARGE);
        using connection = await RawConnection.open(service.port);
        connection.write(read(`/${region}?limit=ALL`));
        await readSlowly(connection, SLOW_MS, (chunks) => chunks >= 60);
        const received = await connection.until(
          (all) => all.length >= LARGE_BYTES && WHOLE.test(all.slice(-16)),
        );
        assert.equal(connection.closed, false);
        assert.ok(received.length >= LARGE_BYTES);
        assert.match(received, WHOLE);
      });

      it('gets all of an answer that is not a stream, too', { skip: unseen }, async () => {
        await using service = await open({
          server: { stalledClientMs: STALLED_MS, idleSocketMs: 400 },
        });
        const region = await service.region(LARGE);
        // At the second rate the queue of the system is full all the time.
        for (const { everyMs, most } of [
          { everyMs: SLOW_MS, most: 40 },
          { everyMs: 20, most: 150 },
        ]) {
          using connection = await RawConnection.open(service.port);
          connection.write(read(`/${region}/${Object.keys(LARGE).join(',')}`));
          await readSlowly(connection, everyMs, (chunks) => chunks >= most || connection.closed);
          const received = await connection.untilClosed();
          assert.ok(received.endsWith('"}]}'), `${received.length} bytes`);
        }
      });

      it('is disconnected when it reads too slowly', async () => {
        const server = { stalledClientMs: 600, minAnswerBytesPerSecond: 100 * 1024 * 1024 };
        await using service = await open({ server });
        const region = await service.region(LARGE);
        using connection = await RawConnection.open(service.port);
        connection.write(read(`/${region}?limit=ALL`));
        await until(() => service.server.requestsInFlight > 0);
        await readSlowly(connection, 50, () => service.server.requestsInFlight === 0);
        assert.doesNotMatch(await connection.untilClosed(), WHOLE);
        assert.equal(service.engine.stats().openSnapshots, 0);
      });

      it('is disconnected when its answer exceeds the time limit', async () => {
        await using service = await open({ server: { maxAnswerMs: 300 } });
        const region = await service.region(LARGE);
        using connection = await RawConnection.open(service.port);
        connection.write(read(`/${region}?limit=ALL`));
        await until(() => service.server.requestsInFlight > 0);
        await readSlowly(connection, 30, () => service.server.requestsInFlight === 0);
        assert.doesNotMatch(await connection.untilClosed(), WHOLE);
        assert.equal(service.engine.stats().openSnapshots, 0);
      });
    });
  }
});
