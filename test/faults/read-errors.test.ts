// Reads of the disk fail. After one failure the service continues unaffected. After many it reports
// them, and recovers by itself. Needs strace.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, codeOf, type Reply } from './client.ts';
import { TemporaryDirectory } from './directory.ts';
import { GridkeepProcess } from './gridkeep-process.ts';
import { InProcessGridkeep } from './in-process-gridkeep.ts';
import { pickSize } from './sizes.ts';

const YAML = 'regions: [{ name: orders }]\n';
const ROUNDS = 25;
const POLL_MS = 20;
/** Rounds of writes until a read fails, each followed by so many polls; then another store is tried. */
const MAX_ROUNDS = 3;
const POLLS = 150;
const MAX_STORES = 4;

interface TracedService {
  readonly process: GridkeepProcess;
  readonly client: Client;
  /** The data file. */
  readonly file: string;
  /** How many reads of the store's files have failed so far. */
  injected(): number;
}

/** `when` in the syntax of strace: the reads of the data file and its log that fail, per thread. */
async function runUnderErrors(
  t: TestContext,
  when: string,
  work: (run: TracedService) => Promise<void>,
  names: readonly string[] = ['gridkeep.db', 'gridkeep.db-wal'],
): Promise<void> {
  if (!canTrace(t)) return;
  using directory = new TemporaryDirectory();
  const data = directory.join('data');
  const trace = directory.join('trace');
  // Created beforehand, so that only reads of a running service fail.
  await (await InProcessGridkeep.start({ data, yaml: YAML })).stop();
  const files = names.flatMap((name) => ['-P', `${data}/${name}`]);
  const faults = ['-e', 'trace=pread64', '-e', `inject=pread64:error=EIO:when=${when}`];
  await using process = await GridkeepProcess.start({
    data,
    yaml: YAML,
    under: ['strace', '--seccomp-bpf', '-D', '-f', '-o', trace, ...files, ...faults],
  });
  using client = new Client(process.port);
  const injected = (): number => readFileSync(trace, 'utf8').match(/INJECTED/g)?.length ?? 0;
  await work({ process, client, file: `${data}/gridkeep.db`, injected });
}

function canTrace(t: TestContext): boolean {
  const isAllowed = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;
  if (!isAllowed) t.skip('strace is not here or may not trace');
  return isAllowed;
}

function outcome(reply: Reply): string {
  return reply?.status === 200 ? '200' : `${reply?.status} ${codeOf(reply)}`;
}

async function readMetric(client: Client, name: string): Promise<string | undefined> {
  const text = (await client.sendTo('GET', '/metrics'))?.text ?? '';
  return new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1];
}

describe('F5 failed reads', () => {
  // SQLite determines which operation these reads belong to; most belong to readers.
  for (const at of pickSize({ quick: [8], short: [8, 13, 30] })) {
    it(`serves every request although read ${at} of a thread fails`, async (t) => {
      await runUnderErrors(t, String(at), async ({ client, injected }) => {
        const outcomes: string[] = [];
        for (let i = 0; i < ROUNDS; i += 1) {
          await client.put(`/orders/k${i}`, `{"n":${i}}`);
          for (const path of [`/orders/k${i}`, '/orders?limit=ALL', '/orders/keys', '/orders']) {
            outcomes.push(outcome(await client.get(path)));
          }
        }
        assert.ok(injected() > 0, 'a read has failed');
        assert.deepEqual([...new Set(outcomes)], ['200']);
        assert.equal((await client.sendTo('GET', '/readyz'))?.status, 200);
      });
    });
  }

  it('writes on although a read of the checkpoint thread fails', async (t) => {
    if (!canTrace(t)) return;
    let hasFailed = false;
    const work = async ({ client, file, injected }: TracedService): Promise<void> => {
      const write = async (letter: string): Promise<void> => {
        const value = JSON.stringify({ text: letter.repeat(500_000) });
        for (let i = 0; i < 20; i += 1) {
          assert.equal(outcome(await client.put(`/orders/k${i}`, value)), '200');
        }
      };
      await write('a');
      // The log is copied after a second without writes.
      while (statSync(file).size < 10_000_000) await delay(POLL_MS);
      // A busy machine may pause between writes. Then the writer copies a part of the log itself.
      for (let round = 0; round < MAX_ROUNDS && injected() === 0; round += 1) {
        await write('b');
        for (let poll = 0; poll < POLLS && injected() === 0; poll += 1) await delay(POLL_MS);
      }
      hasFailed = injected() > 0;
      if (!hasFailed) return;
      await write('c');
      assert.equal(outcome(await client.sendTo('GET', '/readyz')), '200');
    };
    for (let store = 0; store < MAX_STORES && !hasFailed; store += 1) {
      // The thread reads some 2,500 pages of the log each time, the writer after the failure alone.
      await runUnderErrors(t, '4000', work, ['gridkeep.db-wal']);
    }
    assert.ok(hasFailed, 'a read has failed');
  });

  it('reports that it cannot read, and recovers with the disk', async (t) => {
    // From the 20th read on, enough for a few hundred attempts.
    await runUnderErrors(t, '20..400', async ({ client, injected, process: service }) => {
      const outcomes: string[] = [];
      const states = new Set<string>();
      for (let i = 0; i < 1_000 && !(injected() > 0 && outcomes.at(-1) === '200'); i += 1) {
        await client.put('/orders/k', `{"n":${i}}`);
        outcomes.push(outcome(await client.get('/orders/k')));
        const ready = await client.sendTo('GET', '/readyz');
        const readable = await readMetric(client, 'gridkeep_store_readable');
        states.add(`${outcome(ready)} ${readable}`);
      }
      assert.ok(outcomes.includes('500 engine/store-failed'), [...new Set(outcomes)].join());
      assert.equal(outcomes.at(-1), '200', 'reads recover');
      assert.deepEqual([...states].sort(), ['200 1', '503 request/not-ready 0']);
      const logged = service.logLines.find(({ event }) => event === 'store-failure');
      assert.match(String(logged?.['reason']), /gridkeep\.db.*disk I\/O error/);
    });
  });
});
