// F10: little memory. With large bodies, whole regions and queries at once, requests that cannot be
// served are refused, and the system does not kill the process.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Client, codeOf, type Reply } from './client.ts';
import { TemporaryDirectory } from './directory.ts';
import { GridkeepProcess } from './gridkeep-process.ts';
import { MemoryGroup } from './memory-group.ts';
import { pickSize } from './sizes.ts';

const LIMIT_BYTES = 256 * 1024 * 1024;
const BODY = JSON.stringify({ n: 1, pad: 'x'.repeat(1024 * 1024) });
const WRITERS = 200;
/** Each reads the whole region. */
const { readers: READERS, queries: QUERIES } = pickSize({
  quick: { readers: 3, queries: 2 },
  short: { readers: 8, queries: 4 },
});
const yaml = 'regions: [{ name: orders }]\n';
/** Generous, because this tests memory: beside other tests a client may need minutes. */
const NO_TIME_LIMITS = [
  'limits-headers-timeout-ms',
  'limits-request-timeout-ms',
  'limits-keep-alive-timeout-ms',
  'limits-socket-idle-timeout-ms',
  'limits-stalled-reader-timeout-ms',
  'query-max-execution-time-ms',
].flatMap((setting) => [`--${setting}`, '600000']);

interface Pressure {
  readonly answers: ReadonlyMap<string, number>;
  readonly isAlive: boolean;
  readonly killed: number;
  /** Largest sampled memory without mapped files. */
  readonly peakMiB: number;
}

async function press(
  t: TestContext,
  { limitBytes, rounds }: { readonly limitBytes: number; readonly rounds: number },
): Promise<Pressure | undefined> {
  using directory = new TemporaryDirectory();
  const group = MemoryGroup.create(limitBytes);
  if (typeof group === 'string') {
    t.skip(group);
    return undefined;
  }
  using owned = group;
  const answers = new Map<string, number>();
  let peakBytes = 0;
  const count = (kind: string, reply: Reply): void => {
    const isError = reply !== undefined && reply.status >= 400;
    const status = isError ? `${reply.status} ${codeOf(reply)}` : (reply?.status ?? 'no answer');
    const what = `${kind}: ${status}`;
    answers.set(what, (answers.get(what) ?? 0) + 1);
  };
  await using process = await GridkeepProcess.start({
    data: directory.join('data'),
    yaml,
    under: owned.under,
    flags: ['--query-critical-heap-percentage', '60', ...NO_TIME_LIMITS],
  });
  using client = new Client(process.port, WRITERS + READERS + QUERIES);
  const repeat = async (kind: string, send: (i: number) => Promise<Reply>): Promise<void> => {
    for (let i = 0; i < rounds && !process.hasEnded; i += 1) {
      count(kind, await send(i));
      if (!process.hasEnded) peakBytes = Math.max(peakBytes, process.anonymousBytes());
    }
  };
  await Promise.all([
    ...Array.from({ length: WRITERS }, (_, n) =>
      repeat('write', (i) => client.put(`/orders/k${n % 60}-${i % 2}`, BODY)),
    ),
    ...Array.from({ length: READERS }, () =>
      repeat('read', () => client.send('GET', '/orders?limit=ALL')),
    ),
    ...Array.from({ length: QUERIES }, () =>
      repeat('query', () => client.query('SELECT * FROM /orders o ORDER BY o.n')),
    ),
  ]);
  const isAlive = (await client.send('GET', '/ping'))?.status === 200;
  const { killed } = owned;
  await process.kill();
  return { answers, isAlive, killed, peakMiB: Math.round(peakBytes / 2 ** 20) };
}

describe('F10 memory pressure', () => {
  const rounds = pickSize({ quick: 1, short: 4 });

  it('sheds load and is not killed with 256 MiB', async (t) => {
    const pressure = await press(t, { limitBytes: LIMIT_BYTES, rounds });
    if (pressure === undefined) return;
    const { answers, isAlive, killed, peakMiB } = pressure;
    const figures = `${[...answers].join('; ')}; up to ${peakMiB} MiB`;
    t.diagnostic(figures);
    assert.deepEqual({ killed, isAlive }, { killed: 0, isAlive: true }, figures);
    // A query that runs out of memory after its first rows can only end its connection.
    const allowed = /: (200|503 .*|500 oql\/low-memory)$|^query: no answer$/;
    assert.deepEqual(
      [...answers].filter(([what]) => !allowed.test(what)),
      [],
      figures,
    );
    assert.ok((answers.get('write: 200') ?? 0) > 0, 'something was written');
  });

  it('control: with far too little memory the kill is detected', async (t) => {
    const starved = press(t, { limitBytes: 60 * 1024 * 1024, rounds });
    const outcome = await starved.catch((error: Error) => {
      assert.match(error.message, /ended before it listened/);
      return undefined;
    });
    if (outcome !== undefined) assert.ok(outcome.killed > 0 || !outcome.isAlive);
  });
});
