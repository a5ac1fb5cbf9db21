import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import type { WholeRequest } from '../request/request-head.ts';
import { RequestsInFlight } from './requests-in-flight.ts';

const REQUEST: WholeRequest = {
  httpVersionMajor: 1,
  httpVersionMinor: 1,
  headers: {},
  rawHeaders: [],
  socket: new Socket(),
  body: Buffer.alloc(0),
};

/** The outcome of admitting one more request. */
function admitOne(inFlight: RequestsInFlight): unknown {
  inFlight.begin();
  try {
    inFlight.admit(REQUEST);
    return 'admitted';
  } catch (error) {
    inFlight.end();
    return Object(error).code;
  }
}

test('requests are admitted up to the limit, and more when some have ended', () => {
  const inFlight = new RequestsInFlight(2);
  inFlight.open();
  assert.equal(admitOne(inFlight), 'admitted');
  assert.equal(admitOne(inFlight), 'admitted');
  assert.equal(admitOne(inFlight), 'request/overloaded');
  assert.equal(inFlight.count, 2);
  inFlight.end();
  assert.equal(admitOne(inFlight), 'admitted');
  assert.equal(inFlight.refused, 0);
});

test('draining rejects requests, and settles when the last admitted one has ended', async () => {
  const inFlight = new RequestsInFlight(2);
  inFlight.open();
  inFlight.begin();
  inFlight.begin();
  let isDrained = false;
  const drained = inFlight.drain().then(() => {
    isDrained = true;
  });
  assert.equal(inFlight.phase, 'draining');
  assert.equal(admitOne(inFlight), 'request/shutting-down');
  assert.equal(inFlight.refused, 1);
  inFlight.end();
  await Promise.resolve();
  assert.equal(isDrained, false);
  inFlight.end();
  await drained;
  assert.equal(inFlight.count, 0);
});

test('draining settles at once when nothing is in flight', async () => {
  const inFlight = new RequestsInFlight(1);
  inFlight.open();
  await inFlight.drain();
  assert.equal(inFlight.phase, 'draining');
  assert.equal(inFlight.count, 0);
});

test('nothing is admitted before the server opens', () => {
  const inFlight = new RequestsInFlight(1);
  assert.equal(inFlight.phase, 'starting');
  assert.equal(admitOne(inFlight), 'request/starting');
  assert.equal(inFlight.count, 0);
  inFlight.open();
  assert.equal(admitOne(inFlight), 'admitted');
});
