import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PermissionSet } from '../auth/permission.ts';
import { ANYONE, type Principal } from '../auth/principal.ts';
import type { OpenStream } from './open-stream.ts';
import { OpenStreams } from './open-streams.ts';

const ada: Principal = { name: 'ada', login: 'user ada', permissions: new PermissionSet([[]]) };

function create(maxOpenStreams: number, maxOpenStreamsPerLogin: number): OpenStreams {
  const inFlight = { beginWaiting: () => undefined, endWaiting: () => undefined };
  return new OpenStreams({ maxOpenStreams, maxOpenStreamsPerLogin }, () => 1_000, inFlight);
}

/** A fake stream that records the reasons for which it was ended. */
function fakeStream(): { readonly stream: OpenStream; readonly ends: string[] } {
  const ends: string[] = [];
  return { ends, stream: { end: (cause: string) => ends.push(cause) } as unknown as OpenStream };
}

test('streams are admitted up to the total limit and the limit of a login', () => {
  const open = create(3, 1);
  const first = open.admit('changes', ada);
  assert.throws(() => open.wait('live', ada, null), {
    code: 'request/too-many-streams',
    message: /^1 feed or live query of this login is open/,
  });
  open.admit('changes', ANYONE);
  open.admit('live', ANYONE);
  assert.throws(() => open.admit('changes', ANYONE), {
    code: 'request/too-many-streams',
    message: /^3 feeds and live queries of all clients are open/,
  });
  assert.deepEqual(
    open.figures.map(({ kind, open: count }) => [kind, count]),
    [
      ['changes', 2],
      ['live', 1],
    ],
  );
  first();
  open.admit('changes', ada);
});

test('all end when the service drains, and later ones end at once', () => {
  const open = create(9, 9);
  const early = fakeStream();
  const gone = fakeStream();
  open.keep(early.stream, null, ada);
  open.keep(gone.stream, null, ada)();
  open.endForDrain();
  const late = fakeStream();
  open.keep(late.stream, null, ada);
  assert.deepEqual([early.ends, gone.ends, late.ends], [['draining'], [], ['draining']]);
  assert.ok(open.draining.aborted);
});

test('a stream ends with its login, and when logins are replaced', () => {
  const open = create(9, 9);
  const [expired, other] = [fakeStream(), fakeStream()];
  open.keep(expired.stream, null, { ...ada, expiresMs: 1_000 });
  const leave = open.keep(other.stream, null, { ...ada, expiresMs: 1e15 });
  assert.deepEqual([expired.ends, other.ends], [['login'], []]);
  open.endForLogins();
  assert.deepEqual(other.ends, ['login']);
  leave();
});

test('a long poll ends with its login, when logins are replaced, and when the service drains', () => {
  const open = create(9, 9);
  const polls = [open.wait('changes', ada, null), open.wait('changes', ada, null)];
  const states = (): readonly boolean[] => polls.map(({ ended }) => ended.aborted);
  polls[0]?.release();
  assert.deepEqual(states(), [false, false]);
  open.endForLogins();
  assert.deepEqual(states(), [false, true]);
  assert.ok(open.wait('changes', { ...ada, expiresMs: 999 }, null).ended.aborted);
  const last = open.wait('changes', ANYONE, null);
  open.endForDrain();
  assert.ok(last.ended.aborted);
});
