import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type AdmittedQuery, QueryAdmission } from './query-admission.ts';

const LIMITS = { atOnce: 2, waiting: 3, waitMs: 1000 };

/** A clock that the test moves. */
class Clock {
  ms = 0;
  readonly #sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];

  readonly now = (): number => this.ms;

  readonly delay = (ms: number): Promise<void> =>
    new Promise((wake) => {
      this.#sleepers.push({ atMs: this.ms + ms, wake });
    });

  async advance(ms: number): Promise<void> {
    for (const end = this.ms + ms; this.ms < end; ) {
      this.ms += 5;
      const due = this.#sleepers.filter(({ atMs }) => atMs <= this.ms);
      for (const sleeper of due) this.#sleepers.splice(this.#sleepers.indexOf(sleeper), 1);
      for (const { wake } of due) wake();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

describe('queries beyond those that run at once', () => {
  let clock: Clock;
  let admission: QueryAdmission;

  beforeEach(() => {
    clock = new Clock();
    admission = new QueryAdmission({ limits: LIMITS, now: clock.now, delay: clock.delay });
  });

  function begin(
    oql: string,
    { isShort = false, signal = { aborted: false }, deadlineMs = Number.POSITIVE_INFINITY } = {},
  ): AdmittedQuery | Promise<AdmittedQuery> {
    return admission.begin({ oql, signal, deadlineMs, isShort: () => isShort });
  }

  function beginNow(oql: string, options?: Parameters<typeof begin>[1]): AdmittedQuery {
    const admitted = begin(oql, options);
    assert.ok(!(admitted instanceof Promise), `${oql} waits`);
    return admitted;
  }

  function states(): readonly string[] {
    return admission.list().map(({ oql, state }) => `${oql} ${state}`);
  }

  it('wait, and run in the order of their arrival', async () => {
    const a = beginNow('a');
    const b = beginNow('b');
    const c = begin('c');
    const d = begin('d');
    assert.deepEqual(states(), ['a running', 'b running', 'c waiting', 'd waiting']);
    await clock.advance(100);
    admission.end(b.id);
    assert.equal((await c).waitedMs, 100);
    assert.deepEqual(states(), ['a running', 'c running', 'd waiting']);
    admission.end(a.id);
    admission.end((await c).id);
    admission.end((await d).id);
    assert.deepEqual(states(), []);
    assert.equal(beginNow('e').waitedMs, 0);
  });

  it('are refused when the queue is full, or when their waiting time is over', async () => {
    beginNow('a');
    beginNow('b');
    const waiting = [begin('c'), begin('d'), begin('e')];
    assert.throws(() => begin('f'), {
      code: 'grid/too-many-queries',
      message: /2 queries are running, 3 wait/,
    });
    const outcomes = Promise.allSettled(waiting);
    await clock.advance(LIMITS.waitMs + 100);
    for (const outcome of await outcomes) {
      assert.ok(outcome.status === 'rejected');
      assert.equal(Object(outcome.reason).code, 'grid/too-many-queries');
    }
    assert.deepEqual(states(), ['a running', 'b running']);
  });

  it('are counted in the refusal', () => {
    const limits = { atOnce: 1, waiting: 1, waitMs: 1000 };
    admission = new QueryAdmission({ limits, now: clock.now, delay: clock.delay });
    beginNow('a');
    void begin('b');
    assert.throws(() => begin('c'), { message: /1 query is running, 1 waits/ });
  });

  it('wait no longer than their own time limit', async () => {
    beginNow('a');
    beginNow('b');
    const c = assert.rejects(async () => begin('c', { deadlineMs: 200 }), {
      code: 'grid/too-many-queries',
    });
    await clock.advance(300);
    await c;
    assert.deepEqual(states(), ['a running', 'b running']);
  });

  it('are admitted with an aborted signal when their client disconnects or they are cancelled', async () => {
    beginNow('a');
    beginNow('b');
    const signal = { aborted: false };
    const gone = begin('gone', { signal });
    const cancelled = begin('cancelled');
    admission.cancel(admission.list().at(-1)?.id ?? '');
    assert.equal((await cancelled).signal.aborted, true);
    signal.aborted = true;
    await clock.advance(50);
    assert.equal((await gone).signal.aborted, true);
    admission.end((await gone).id);
    admission.end((await cancelled).id);
    assert.deepEqual(states(), ['a running', 'b running']);
    // They held no slot, so none is free.
    const c = begin('c');
    assert.ok(c instanceof Promise);
    c.catch(() => undefined);
  });

  it('have separate slots if they are short', async () => {
    beginNow('long a');
    beginNow('long b');
    const long = begin('long c');
    const first = beginNow('short a', { isShort: true });
    beginNow('short b', { isShort: true });
    const third = begin('short c', { isShort: true });
    assert.deepEqual(states().slice(4), ['long c waiting', 'short c waiting']);
    admission.end(first.id);
    const { waitedMs, id } = await third;
    assert.equal(waitedMs, 0);
    assert.deepEqual(
      states().slice(4),
      ['long c waiting'],
      'a long query gets no slot of short ones',
    );
    admission.end(id);
    beginNow('short d', { isShort: true });
    assert.ok(long instanceof Promise);
    long.catch(() => undefined);
    await clock.advance(LIMITS.waitMs + 100);
  });
});
