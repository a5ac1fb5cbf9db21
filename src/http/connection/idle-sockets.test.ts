import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { closeIfStillIdle } from './idle-sockets.ts';

async function openConnection(t: TestContext): Promise<{ client: Socket; server: Socket }> {
  const listener = createServer();
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  t.after(() => listener.close());
  // Listening on TCP, so never a pipe.
  const client = connect((listener.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => client.destroy());
  const [server] = (await once(listener, 'connection')) as [Socket]; // what the event brings
  server.resume();
  return { client, server };
}

/** Runs in the timer phase, before sockets are read. */
function inTimer(work: () => void): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(() => {
      work();
      resolve();
    }, 0);
  });
}

describe('a connection that is idle beyond the time limit', () => {
  it('is closed', async (t) => {
    const { client, server } = await openConnection(t);
    client.resume();
    await inTimer(() => closeIfStillIdle(server));
    await once(client, 'close');
    assert.ok(server.destroyed);
  });

  it('is read first when its next request has already arrived', async (t) => {
    const { client, server } = await openConnection(t);
    await inTimer(() => {
      client.write('GET');
      closeIfStillIdle(server);
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(server.bytesRead, 3);
    assert.equal(server.destroyed, false);
  });
});
