import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { Observation } from '../observe/observation.ts';
import { runUntilStopped } from './run-until-stopped.ts';
import type { RunningService } from './start-service.ts';

interface FakeService extends RunningService {
  readonly reasons: string[];
  readonly observations: Observation[];
}

/** A service whose stop lasts until the given promise settles. */
function fakeService(stopped: Promise<void>): FakeService {
  const reasons: string[] = [];
  const observations: Observation[] = [];
  return {
    url: 'http://127.0.0.1:1',
    reasons,
    observations,
    observe: (observation) => observations.push(observation),
    stop: (reason) => {
      reasons.push(reason);
      return stopped;
    },
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a signal stops the service and the code is 0', async () => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    const process = new EventEmitter();
    const service = fakeService(Promise.resolve());
    const code = runUntilStopped(service, process);
    process.emit(signal);
    assert.equal(await code, 0);
    assert.deepEqual(service.reasons, [signal]);
    assert.deepEqual(process.eventNames(), []);
  }
});

test('a second signal ends it at once, however long the stop takes', async () => {
  const process = new EventEmitter();
  const service = fakeService(new Promise(() => undefined));
  const code = runUntilStopped(service, process);
  process.emit('SIGTERM');
  await nextTurn();
  process.emit('unhandledRejection', new Error('while draining'));
  await nextTurn();
  process.emit('SIGINT');
  assert.equal(await code, 130);
});

test('an unhandled failure is reported, the service drains, and the code is 70', async () => {
  for (const event of ['unhandledRejection', 'uncaughtException']) {
    const process = new EventEmitter();
    const service = fakeService(Promise.resolve());
    const code = runUntilStopped(service, process);
    const error = new Error('broken');
    process.emit(event, error);
    assert.equal(await code, 70);
    assert.deepEqual(service.observations, [{ kind: 'service-failed', error }]);
    assert.deepEqual(service.reasons, ['failure']);
  }
});

test('when the store is lost the service drains, and the code is 70', async () => {
  const process = new EventEmitter();
  const service = fakeService(Promise.resolve());
  const code = runUntilStopped({ ...service, storeLost: Promise.resolve() }, process);
  assert.equal(await code, 70);
  assert.deepEqual(service.reasons, ['store-lost']);
});

test('SIGHUP without anything to reload is ignored', async () => {
  const process = new EventEmitter();
  const service = fakeService(Promise.resolve());
  const code = runUntilStopped(service, process);
  assert.equal(process.emit('SIGHUP'), true, 'there is a listener, or the process would end');
  await nextTurn();
  assert.deepEqual(service.reasons, []);
  process.emit('SIGTERM');
  assert.equal(await code, 0);
  assert.deepEqual(process.eventNames(), []);
});
