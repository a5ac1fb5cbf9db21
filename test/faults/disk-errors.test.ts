// F5: a sync or a write fails. From the first error on nothing is acknowledged, no sync is retried, and
// reads continue. Needs strace.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, codeOf } from './client.ts';
import { TemporaryDirectory } from './directory.ts';
import { GridkeepProcess } from './gridkeep-process.ts';
import { InProcessGridkeep } from './in-process-gridkeep.ts';

const YAML = 'regions: [{ name: orders }]\n';
const WRITES = 40;
const POLL_MS = 20;

interface WriteOutcomes {
  /** For each write in order: `200`, or the error code. */
  readonly outcomes: readonly string[];
  readonly injected: number;
}

/** Skips the test when it is. */
function isUntraceable(t: TestContext): boolean {
  if (spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0) return false;
  t.skip('strace is not here or may not trace');
  return true;
}

async function writeUnderErrors(
  t: TestContext,
  {
    after,
    calls,
    fault,
  }: { readonly calls: string; readonly after: number; readonly fault?: string },
): Promise<WriteOutcomes | undefined> {
  if (isUntraceable(t)) return undefined;
  using directory = new TemporaryDirectory();
  const data = directory.join('data');
  const trace = directory.join('trace');
  // Created beforehand, so that the syscalls of a new store are not counted.
  await (await InProcessGridkeep.start({ data, yaml: YAML })).stop();
  const filter = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO:when=${after}+`];
  const outcomes: string[] = [];
  {
    await using process = await GridkeepProcess.start({
      data,
      yaml: YAML,
      // With -D our child is the service itself, not strace.
      under: ['strace', '--seccomp-bpf', '-D', '-f', '-o', trace, ...filter],
      ...(fault === undefined ? {} : { fault }),
    });
    using client = new Client(process.port);
    const acknowledged: string[] = [];
    for (let i = 0; i < WRITES; i += 1) {
      const reply = await client.put(`/orders/k${i}`, `{"n":${i}}`);
      if (reply?.status === 200) acknowledged.push(`k${i}`);
      outcomes.push(reply?.status === 200 ? '200' : `${reply?.status} ${codeOf(reply)}`);
    }
    const read = await client.get(`/orders/${acknowledged.join(',')}`);
    assert.equal(read.status, 200, 'reads continue');
    assert.equal((await client.get('/ping')).status, 200);
    const hasFailed = outcomes.some((outcome) => outcome !== '200');
    if (hasFailed) await checkFailureShows(client, process);
    await process.stop();
  }
  return { outcomes, injected: readFileSync(trace, 'utf8').match(/INJECTED/g)?.length ?? 0 };
}

/** A store that accepts no more writes reports it in every place that an operator checks. */
async function checkFailureShows(client: Client, process: GridkeepProcess): Promise<void> {
  const ready = await client.sendTo('GET', '/readyz');
  assert.deepEqual([ready?.status, codeOf(ready)], [503, 'request/not-ready']);
  assert.match(ready?.text ?? '', /cannot be written: Input\/output failure on .*disk I\/O error/);
  const metrics = (await client.sendTo('GET', '/metrics'))?.text ?? '';
  assert.match(metrics, /^gridkeep_store_writable 0$/m);
  assert.match(metrics, /^gridkeep_store_readable 1$/m);
  const logged = process.logLines.find(({ event }) => event === 'store-failure');
  assert.match(String(logged?.['reason']), /gridkeep\.db: .*disk I\/O error/);
}

function checkNothingAcknowledgedAfter({ outcomes }: WriteOutcomes): void {
  const first = outcomes.findIndex((outcome) => outcome !== '200');
  assert.ok(first > 0, `some writes succeed, then one fails: ${outcomes}`);
  assert.deepEqual(new Set(outcomes.slice(first)), new Set(['500 engine/store-failed']));
}

describe('F5 disk errors', () => {
  it('stops writing at the first failed sync and never retries it', async (t) => {
    const run = await writeUnderErrors(t, { calls: 'fdatasync,fsync', after: 20 });
    if (run === undefined) return;
    checkNothingAcknowledgedAfter(run);
    assert.equal(run.injected, 1, 'one sync failed, and none was tried after it');
  });

  it('loses nothing when a sync of the data file fails after the log was copied', async (t) => {
    if (isUntraceable(t)) return;
    using directory = new TemporaryDirectory();
    const data = directory.join('data');
    const trace = directory.join('trace');
    await (await InProcessGridkeep.start({ data, yaml: YAML })).stop();
    // The first sync of the data file belongs to the start.
    const inject = ['-P', `${data}/gridkeep.db`, '-e', 'inject=fdatasync,fsync:error=EIO:when=2+'];
    const countInjected = (): number => readFileSync(trace, 'utf8').match(/INJECTED/g)?.length ?? 0;
    const acknowledged: string[] = [];
    {
      await using process = await GridkeepProcess.start({
        data,
        yaml: YAML,
        under: [
          'strace',
          '--seccomp-bpf',
          '-D',
          '-f',
          '-o',
          trace,
          '-e',
          'trace=fdatasync,fsync',
          ...inject,
        ],
      });
      using client = new Client(process.port);
      const put = async (text: string): Promise<string> => {
        const i = acknowledged.length;
        const reply = await client.put(`/orders/k${i}`, `{"n":${i},"text":"${text}"}`);
        if (reply?.status !== 200) return codeOf(reply);
        acknowledged.push(`k${i}`);
        return '';
      };
      const text = 'x'.repeat(500_000);
      let outcome = '';
      for (let i = 0; i < 20 && outcome === ''; i += 1) outcome = await put(text);
      // The checkpoint thread copies the log after a second without writes, and syncs the data file.
      while (countInjected() === 0) await delay(POLL_MS);
      for (let i = 0; i < 1000 && outcome === ''; i += 1) outcome = await put('');
      assert.equal(outcome, 'engine/store-failed');
      await process.stop();
    }
    assert.equal(countInjected(), 1, 'one sync was tried');
    await using again = await InProcessGridkeep.start({ data, yaml: YAML });
    using client = new Client(again.port);
    for (const [i, key] of acknowledged.entries()) {
      const { text } = await client.get(`/orders/${key}`);
      assert.ok(text.includes(`"n":${i},`), `${key} is there`);
    }
  });

  it('stops writing at the first failed write', async (t) => {
    const run = await writeUnderErrors(t, { calls: 'pwrite64', after: 150 });
    if (run !== undefined) checkNothingAcknowledgedAfter(run);
  });

  it('does not start if a sync fails, and reports the reason of the system', async (t) => {
    if (isUntraceable(t)) return;
    using directory = new TemporaryDirectory();
    const data = directory.join('data');
    await (await InProcessGridkeep.start({ data, yaml: YAML })).stop();
    const inject = [
      ...['-P', `${data}/gridkeep.db-mark`],
      ...['-e', 'trace=fsync', '-e', 'inject=fsync:error=EIO'],
    ];
    const { code, err } = await GridkeepProcess.refuse({
      data,
      yaml: YAML,
      under: ['strace', '--seccomp-bpf', '-D', '-f', '-o', directory.join('trace'), ...inject],
    });
    assert.equal(code, 1);
    assert.equal(
      err,
      `gridkeep: Input/output failure on ${data}/gridkeep.db: EIO: i/o error, fsync\n`,
    );
  });

  it('control: a service that never syncs is detected', async (t) => {
    const run = await writeUnderErrors(t, {
      calls: 'fdatasync,fsync',
      after: 20,
      fault: 'no-sync',
    });
    if (run !== undefined) assert.throws(() => checkNothingAcknowledgedAfter(run));
  });

  it('treats a used-up quota as a full disk, and writes again when there is space', async (t) => {
    if (isUntraceable(t)) return;
    using directory = new TemporaryDirectory();
    const data = directory.join('data');
    await (await InProcessGridkeep.start({ data, yaml: YAML })).stop();
    const files = ['gridkeep.db-wal', 'gridkeep.probe'].flatMap((name) => [
      '-P',
      `${data}/${name}`,
    ]);
    // After each failed commit the writer tries to write a separate file, with another syscall.
    const inject = [
      'trace=pwrite64,write',
      'inject=pwrite64:error=EDQUOT:when=40..45',
      'inject=write:error=EDQUOT:when=1..6',
    ].flatMap((expression) => ['-e', expression]);
    await using process = await GridkeepProcess.start({
      data,
      yaml: YAML,
      under: [
        'strace',
        '--seccomp-bpf',
        '-D',
        '-f',
        '-o',
        directory.join('trace'),
        ...files,
        ...inject,
      ],
    });
    using client = new Client(process.port);
    const outcomes: string[] = [];
    for (let i = 0; i < 200; i += 1) {
      const reply = await client.put(`/orders/k${i}`, `{"n":${i}}`);
      outcomes.push(reply?.status === 200 ? '200' : `${reply?.status} ${codeOf(reply)}`);
    }
    assert.deepEqual(new Set(outcomes), new Set(['200', '500 engine/store-full']));
    assert.equal(outcomes.at(-1), '200', 'it writes again');
  });
});
