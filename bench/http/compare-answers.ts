// Checks before a measurement that both servers give the same answers; otherwise the ratios are
// meaningless.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { makeRequests, WORK } from './work.ts';

/** Headers that always differ: the clock, the request id, versions, cursors. */
const VARYING = /^(date|x-request-id|etag|location|content-location|link): .*$/gim;

export async function compareAnswers(
  ports: readonly [number, number],
  entries: number,
): Promise<void> {
  for (const { name } of WORK) {
    const [ours, bare] = await Promise.all(
      ports.map(async (port) => {
        const [request] = makeRequests(name, `127.0.0.1:${port}`, entries);
        return split(await exchange(port, request ?? Buffer.alloc(0)));
      }),
    );
    assert.deepEqual(ours?.head, bare?.head, `${name}: the heads differ`);
    assert.ok(ours?.body.equals(bare?.body ?? Buffer.alloc(0)), `${name}: the bodies differ`);
  }
}

function exchange(port: number, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    // With `Connection: close`, so that the end of the connection ends the answer.
    const at = request.indexOf('\r\n') + 2;
    socket.write(request.subarray(0, at));
    socket.write('Connection: close\r\n');
    socket.write(request.subarray(at));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('end', () => resolve(Buffer.concat(chunks)));
  });
}

function split(answer: Buffer): { readonly head: readonly string[]; readonly body: Buffer } {
  const end = answer.indexOf('\r\n\r\n');
  const head = answer.toString('latin1', 0, end).replace(VARYING, '$1');
  const body = answer.subarray(end + 4);
  const isChunked = /transfer-encoding: chunked/i.test(head);
  return { head: head.split('\r\n'), body: isChunked ? joinChunks(body) : body };
}

function joinChunks(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  let at = 0;
  while (at < body.length) {
    const lineEnd = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
  return Buffer.concat(chunks);
}
