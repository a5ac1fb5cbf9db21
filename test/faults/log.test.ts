// Log lines are written once per turn of the event loop. None may be lost when the service ends.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RawConnection, statusesIn } from '../http-client.ts';
import { Client } from './client.ts';
import { GridkeepProcess } from './gridkeep-process.ts';

const yaml = 'regions: [{ name: orders }]\n';
const flags = ['--log-requests', 'on'];
const REQUESTS = 300;

function requestLines(err: string): number {
  return err.split('\n').filter((line) => line.includes('"event":"request-finished"')).length;
}

/** Sends as many requests as fit into a turn or two, and waits for all answers. */
async function sendMany(port: number): Promise<void> {
  using connection = await RawConnection.open(port);
  const ping = `GET /grid-api/v1/ping HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  connection.write(ping.repeat(REQUESTS));
  const received = await connection.until((text) => statusesIn(text).length === REQUESTS);
  assert.equal(statusesIn(received).length, REQUESTS);
}

describe('The log', () => {
  it('has a line for every request that was answered before SIGTERM', async () => {
    await using process = await GridkeepProcess.start({ yaml, flags });
    await sendMany(process.port);
    const { code, err } = await process.stop();
    assert.equal(code, 0);
    assert.equal(requestLines(err), REQUESTS);
    assert.match(err, /"event":"service-stopped"/);
  });

  it('has a line for every request that was answered before a failure ended the service', async () => {
    await using process = await GridkeepProcess.start({
      yaml,
      flags,
      fault: 'unhandled-rejection:1',
    });
    await sendMany(process.port);
    using client = new Client(process.port);
    assert.equal((await client.send('POST', '/orders', { body: '{}' }))?.status, 201);
    const { code, err } = await process.finished;
    assert.equal(code, 70);
    assert.equal(requestLines(err), REQUESTS + 1);
    assert.match(err, /"event":"service-failed"/);
  });
});
