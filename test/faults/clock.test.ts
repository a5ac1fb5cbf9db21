// F8: the clock of the machine jumps. Durations and time limits are measured with the monotonic clock,
// so they are not affected. Needs libfaketime.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { until } from '../until.ts';
import { Client, codeOf } from './client.ts';
import { TemporaryDirectory } from './directory.ts';
import { GridkeepProcess } from './gridkeep-process.ts';

const LIBRARY = 'libfaketimeMT.so.1';
const JUMPS = ['+3d', '-400d', '+0', '+20y', '-1d'];
/** With a clock that was set back, a time limit would never be reached. */
const JUMPS_AHEAD = ['+3d', '+400d', '+20y'];
const LIMIT_MS = 400;
const yaml = 'regions: [{ name: orders }]\n';

function findLibrary(): string | undefined {
  if (!existsSync('/usr/lib')) return undefined;
  const folders = readdirSync('/usr/lib').map((name) => join('/usr/lib', name, 'faketime'));
  return [...folders, '/usr/lib/faketime']
    .map((folder) => join(folder, LIBRARY))
    .find((file) => existsSync(file));
}

interface Jumping {
  /** Milliseconds that each query with a time limit took, by the clock of the test. */
  readonly took: readonly number[];
  readonly codes: ReadonlySet<string>;
  /** Durations that the service logged. */
  readonly logged: readonly number[];
  /** Years of the log lines, which show that the jumps were effective. */
  readonly years: ReadonlySet<string>;
}

async function runUnderJumps(
  t: TestContext,
  jumps: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Jumping | undefined> {
  const library = findLibrary();
  if (library === undefined) {
    t.skip('libfaketime is not here');
    return undefined;
  }
  using directory = new TemporaryDirectory();
  const clock = directory.join('clock');
  let jumped = 0;
  const jump = (to: string): void => {
    writeFileSync(clock, `${to}\n`);
    // The library checks the modification time of the file, in whole seconds.
    jumped += 1;
    utimesSync(clock, 1_000_000 + jumped, 1_000_000 + jumped);
  };
  jump('+0');
  await using process = await GridkeepProcess.start({
    yaml,
    flags: ['--log-requests', 'on', '--query-max-execution-time-ms', String(LIMIT_MS)],
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: '1',
      ...environment,
    },
  });
  using client = new Client(process.port);
  for (let i = 0; i < 60; i += 1) await client.put(`/orders/k${i}`, `{"n":${i}}`);
  const from = Array.from({ length: 8 }, (_, i) => `/orders o${i}`).join(', ');
  const took: number[] = [];
  const codes = new Set<string>();
  for (const to of jumps) {
    const started = performance.now();
    const answer = client.query(`SELECT COUNT(*) FROM ${from} WHERE o0.n + o7.n < 0`);
    // During the query: an earlier jump would not affect its duration.
    await Promise.race([answer, untilRunning(client)]);
    jump(to);
    const reply = await answer;
    took.push(performance.now() - started);
    codes.add(`${reply?.status} ${codeOf(reply)}`);
    for (let i = 0; i < 20; i += 1) await client.put(`/orders/k${i}`, `{"n":${i}}`);
  }
  await process.stop();
  const lines = process.logLines.filter(({ event }) => event === 'request-finished');
  return {
    took,
    codes,
    logged: lines.map(({ ms }) => Number(ms)),
    years: new Set(lines.map(({ time }) => String(time).slice(0, 4))),
  };
}

async function untilRunning(client: Client): Promise<void> {
  await until(async () => {
    const reply = await client.sendTo('GET', '/grid-admin/v1/queries/running');
    return reply === undefined || reply.text.includes('"oql"');
  });
}

describe('F8 clock jumps', () => {
  it('measures durations and limits with a clock that does not jump', async (t) => {
    const run = await runUnderJumps(t, JUMPS, { FAKETIME_DONT_FAKE_MONOTONIC: '1' });
    if (run === undefined) return;
    assert.ok(run.years.size >= 3, 'the clock jumped');
    assert.ok(run.logged.length > 100);
    assert.deepEqual(
      run.logged.filter((ms) => !(ms >= 0 && ms < 60_000)),
      [],
    );
    assert.deepEqual(run.codes, new Set(['500 oql/timeout']));
    // Not before the limit, and not days later; the exact delay does not matter.
    assert.deepEqual(
      run.took.filter((ms) => ms < LIMIT_MS - 1 || ms > 60_000),
      [],
    );
  });

  it('control: durations by the jumping clock are detected', async (t) => {
    const run = await runUnderJumps(t, JUMPS_AHEAD, { FAKETIME_DONT_FAKE_MONOTONIC: '0' });
    if (run === undefined) return;
    const strange = run.logged.filter((ms) => !(ms >= 0 && ms < 60_000));
    const early = run.took.filter((ms) => ms < LIMIT_MS - 1);
    assert.ok(strange.length + early.length > 0, 'no wrong duration is detected');
  });
});
