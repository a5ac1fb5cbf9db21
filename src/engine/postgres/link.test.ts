import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Connector } from './connector.ts';
import { Link, within } from './link.ts';

describe('the connection of a link', () => {
  it('is opened once after a loss, however many uses met the loss', async () => {
    const opening: ((client: unknown) => void)[] = [];
    const connect = (): Promise<unknown> => new Promise((resolve) => opening.push(resolve));
    // A link only calls `connect`.
    const link = new Link({ connect } as unknown as Connector, 1000);
    const connecting = link.connect();
    opening[0]?.(Object.assign(new EventEmitter(), { end: () => Promise.resolve() }));
    const client = await connecting;
    for (let use = 0; use < 3; use += 1) {
      await assert.rejects(link.useOn(client, () => Promise.reject(new Error('cut'))));
      void link.connect();
    }
    assert.equal(opening.length, 2);
  });
});

describe('the reads of a link', () => {
  it('wait for each other, and a failed one delays none', async () => {
    const client = Object.assign(new EventEmitter(), { end: () => Promise.resolve() });
    const connect = (): Promise<unknown> => Promise.resolve(client);
    // A link only calls `connect`.
    const link = new Link({ connect } as unknown as Connector, 1000);
    let running = 0;
    let most = 0;
    const read = (number: number): Promise<number> =>
      link.read(async () => {
        running += 1;
        most = Math.max(most, running);
        await nextTurn();
        running -= 1;
        if (number === 1) throw Object.assign(new Error('bad text'), { code: '22P02' });
        return number;
      });
    const outcomes = await Promise.allSettled([read(0), read(1), read(2)]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal(most, 1);
  });
});

describe('the time limit of a use', () => {
  it('ends work that takes longer', async () => {
    const late = delay(5000, 'answer', { ref: false });
    await assert.rejects(within(20, late), { code: 'engine/unreachable' });
  });

  it('begins again in a process that was paused, which has not read its answers yet', async () => {
    const answer = within(20, delay(30, 'answer'));
    // Nothing runs meanwhile; afterwards both timers are due, the limit first.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    assert.equal(await answer, 'answer');
  });
});
