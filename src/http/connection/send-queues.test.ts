import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { queueName, readSendQueues } from './send-queues.ts';

const skip = !existsSync('/proc/net/tcp') && 'the system does not show its send queues';

function nameOf(address: string): string | undefined {
  const ends = { localAddress: address, localPort: 7070, remoteAddress: address, remotePort: 1 };
  return queueName(ends as Socket); // with all members that are read
}

test('the endpoints of a connection are named as the system names them', () => {
  for (const [address, name] of [
    ['127.0.0.1', '0100007F'],
    ['10.1.2.3', '0302010A'],
    ['::1', '00000000000000000000000001000000'],
    ['::', '00000000000000000000000000000000'],
    ['::ffff:127.0.0.1', '0000000000000000FFFF00000100007F'],
    ['2001:db8:1:2:3:4:5:6', 'B80D0120020001000400030006000500'],
    ['fe80::1%eth0', '000080FE000000000000000001000000'],
  ] as const) {
    assert.equal(nameOf(address), `${name}:1B9E ${name}:0001`, address);
  }
});

const loopback = Object.values(networkInterfaces()).flatMap((all = []) => all);

for (const host of ['127.0.0.1', '::1']) {
  const isThere = loopback.some(({ address }) => address === host);
  const why = skip || (!isThere && `there is no ${host} here`);
  test(`bytes that a client at ${host} has not read are in its queue`, { skip: why }, async () => {
    const server = createServer();
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    const address = server.address() as { readonly port: number }; // listening on TCP
    const client = connect(address.port, host).pause();
    const socket = await accepted;
    try {
      const sent = 64 * 1024 * 1024;
      socket.write(Buffer.alloc(sent));
      const name = queueName(socket) ?? '';
      let queued = 0;
      while (queued === 0) queued = (await readSendQueues())?.get(name) ?? 0;
      assert.ok(queued < sent);
    } finally {
      client.destroy();
      socket.destroy();
      server.close();
    }
  });
}
