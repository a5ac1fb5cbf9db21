// F9: SIGTERM under load. Every received request gets an answer, ping reports at once that the service
// is shutting down, and nothing acknowledged is lost.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RawConnection } from '../http-client.ts';
import { until } from '../until.ts';
import { Client } from './client.ts';
import { TemporaryDirectory } from './directory.ts';
import { GridkeepProcess } from './gridkeep-process.ts';
import { pickSize } from './sizes.ts';

const YAML = 'regions: [{ name: orders }]\n';
const CLIENTS = 24;
const BEFORE_THE_END = pickSize({ quick: 200, short: 600 });

interface Ending {
  readonly statuses: ReadonlySet<number>;
  /** Requests on open connections that got no answer. */
  readonly cutOff: number;
  readonly pingAfter: number | undefined;
  readonly code: number | null;
  readonly lost: readonly string[];
}

/** Every client has one connection, opened before the signal, and sends until it is refused. */
async function endUnderLoad(signal: 'SIGTERM' | 'SIGKILL'): Promise<Ending> {
  using directory = new TemporaryDirectory();
  const options = { data: directory.join('data'), yaml: YAML };
  const statuses = new Set<number>();
  const acknowledged = new Map<string, string>();
  let answers = 0;
  let cutOff = 0;
  let pingAfter: number | undefined;
  let code: number | null;
  {
    await using process = await GridkeepProcess.start(options);
    using observer = new Client(process.port, 1);
    await observer.get('/ping');
    let ending: Promise<void> | undefined;
    const end = async (): Promise<void> => {
      process.signal(signal);
      // The signal takes a moment to arrive, and the answers queue with all others.
      for (let status = 200; status === 200; ) {
        status = (await observer.send('GET', '/ping'))?.status ?? 0;
        pingAfter = status;
      }
    };
    const work = async (n: number): Promise<void> => {
      using client = new Client(process.port, 1);
      for (let i = 0; ; i += 1) {
        const value = `{"n":${n},"i":${i}}`;
        const isWrite = (n + i) % 3 > 0;
        const reply = isWrite
          ? await client.put(`/orders/c${n}`, value)
          : await client.send('GET', '/orders?limit=ALL');
        if (reply === undefined) {
          cutOff += 1;
          return;
        }
        statuses.add(reply.status);
        if (reply.status !== 200) return;
        if (isWrite) acknowledged.set(`c${n}`, value);
        answers += 1;
        if (answers === BEFORE_THE_END) ending = end();
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, n) => work(n)));
    await ending;
    ({ code } = await process.finished);
  }
  await using again = await GridkeepProcess.start(options);
  using client = new Client(again.port);
  const lost: string[] = [];
  for (const [key, value] of acknowledged) {
    const { text } = await client.get(`/orders/${key}`);
    if (text !== `{"orders":[${value}]}`) lost.push(`${key}: ${value} became ${text}`);
  }
  return { statuses, cutOff, pingAfter, code, lost };
}

describe('F9 SIGTERM under load', () => {
  it('answers every request, reports it in ping, exits with 0 and loses nothing', async () => {
    const ending = await endUnderLoad('SIGTERM');
    assert.deepEqual(ending, {
      statuses: new Set([200, 503]),
      cutOff: 0,
      pingAfter: 404,
      code: 0,
      lost: [],
    });
  });

  it('waits for a request in flight, and ends at once on a second signal', async () => {
    await using process = await GridkeepProcess.start({ yaml: YAML });
    using slow = await RawConnection.open(process.port);
    slow.write(
      'PUT /grid-api/v1/orders/a HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
    );
    using observer = new Client(process.port, 1);
    await observer.get('/ping');
    process.signal('SIGTERM');
    let status: number | undefined = 200;
    await until(async () => {
      status = (await observer.send('GET', '/ping'))?.status;
      return status !== 200;
    });
    assert.equal(status, 404);
    assert.ok(!process.hasEnded, 'it waits for the body');
    process.signal('SIGTERM');
    const { code, err } = await process.finished;
    assert.equal(code, 143);
    assert.doesNotMatch(err, /"event":"service-stopped"/);
  });

  it('control: an exit without draining is detected', async () => {
    const { cutOff, pingAfter } = await endUnderLoad('SIGKILL');
    assert.ok(cutOff > 0);
    assert.equal(pingAfter, 0);
  });
});
