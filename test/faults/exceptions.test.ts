// F11: unexpected errors. An exception in a handler fails one request; an unhandled rejection ends the
// service in an orderly way.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client, codeOf } from './client.ts';
import { GridkeepProcess } from './gridkeep-process.ts';

const yaml = 'regions: [{ name: orders }]\n';
/** Stack traces name modules, not the bundle. */
const NAMED_MODULES = { NODE_OPTIONS: '--enable-source-maps' };

describe('F11 unexpected errors', () => {
  it('answers 500 to an exception in a handler, logs it, and continues', async () => {
    await using process = await GridkeepProcess.start({
      environment: NAMED_MODULES,
      yaml,
      fault: 'handler-throws:2',
    });
    using client = new Client(process.port);
    const statuses: (number | undefined)[] = [];
    for (let i = 0; i < 4; i += 1) {
      const reply = await client.send('POST', '/orders', { body: '{}' });
      statuses.push(reply?.status);
      if (reply?.status === 500) assert.equal(codeOf(reply), 'internal/error');
    }
    assert.deepEqual(statuses, [201, 500, 201, 201]);
    assert.equal((await process.stop()).code, 0);
    assert.match(process.log, /"event":"request-failed".*at .*handlers\/entries\.js/);
  });

  it('logs an unhandled rejection, drains, and exits with 70', async () => {
    await using process = await GridkeepProcess.start({
      environment: NAMED_MODULES,
      yaml,
      fault: 'unhandled-rejection:2',
    });
    using client = new Client(process.port);
    assert.equal((await client.send('POST', '/orders', { body: '{}' }))?.status, 201);
    // The request that caused it is in flight, and is finished.
    assert.equal((await client.send('POST', '/orders', { body: '{}' }))?.status, 201);
    const { code, err } = await process.finished;
    assert.equal(code, 70);
    assert.match(err, /"event":"service-failed".*at .*handlers\/entries\.js/);
    assert.deepEqual(
      err.split('\n').filter((line) => line !== '' && !line.startsWith('{')),
      [],
      'every line of the log is JSON',
    );
  });

  it('control: without the fault nothing of this happens', async () => {
    await using process = await GridkeepProcess.start({ yaml });
    using client = new Client(process.port);
    for (let i = 0; i < 4; i += 1) {
      assert.equal((await client.send('POST', '/orders', { body: '{}' }))?.status, 201);
    }
    const { code, err } = await process.stop();
    assert.equal(code, 0);
    assert.doesNotMatch(err, /"level":"error"/);
  });
});
