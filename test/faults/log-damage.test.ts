// F6 for the write-ahead log: when it is damaged, while the service is down or running, no acknowledged
// write is lost without a message. After `kill -9` a copy is damaged, and the service is started on it.

import assert from 'node:assert/strict';
import {
  copyFileSync,
  cpSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { acceptLoss, checkStore } from '../../src/app/index.ts';
import { readMark } from '../../src/engine/sqlite/store-mark.ts';
import { type CommandEnd, performCommand } from '../perform-command.ts';
import { Client, codeOf } from './client.ts';
import { TemporaryDirectory } from './directory.ts';
import { GridkeepProcess } from './gridkeep-process.ts';
import { InProcessGridkeep } from './in-process-gridkeep.ts';
import { pickSize } from './sizes.ts';

const YAML = 'regions: [{ name: pairs }]\n';
const PAIRS = 40;
const directory = new TemporaryDirectory();

after(() => directory[Symbol.dispose]());

/** Pairs of keys that each commit writes together: the n-th commit writes n to both. */
class PairLoad {
  readonly acknowledged: Map<number, number> = new Map();
  #next = 0;

  async write(client: Client, commits: number, pad = 600): Promise<void> {
    for (let n = 0; n < commits; n += 1) {
      const pair = this.#next % PAIRS;
      const generation = this.#next;
      this.#next += 1;
      const value = JSON.stringify({ generation, pad: 'p'.repeat(pad) });
      const body = `[${value},${value}]`;
      const { status, text } = await client.require('PUT', `/pairs/a${pair},b${pair}`, { body });
      assert.equal(status, 200, text);
      this.acknowledged.set(pair, generation);
    }
  }

  /** Differences between the answers of the service and the acknowledged writes. */
  async findWrong(client: Client): Promise<readonly string[]> {
    const wrong: string[] = [];
    for (const [pair, generation] of this.acknowledged) {
      const { text } = await client.get(`/pairs/a${pair},b${pair}`);
      const values = JSON.parse(text).pairs as readonly { generation: number }[];
      const found = values.map((value) => value.generation);
      if (found.length !== 2 || found.some((it) => it !== generation)) {
        wrong.push(`pair ${pair}: ${found.join(', ')} instead of ${generation}`);
      }
    }
    return wrong;
  }
}

let copies = 0;

function copyOf(data: string): string {
  copies += 1;
  const copy = directory.join(`copy-${copies}`);
  cpSync(data, copy, { recursive: true });
  return copy;
}

function flipBit(file: string, share: number): void {
  const bytes = readFileSync(file);
  const at = Math.floor(bytes.length * share);
  bytes[at] = (bytes[at] ?? 0) ^ 4;
  writeFileSync(file, bytes);
}

const DATA = 'gridkeep.db';
const LOG = 'gridkeep.db-wal';

/** The start is refused with one line that names the file and the missing commits; `check` too. */
async function assertRefused(
  data: string,
  { refuse }: Pick<typeof InProcessGridkeep | typeof GridkeepProcess, 'refuse'> = InProcessGridkeep,
): Promise<void> {
  const { code, err } = await refuse({ data, yaml: YAML });
  assert.equal(code, 1, err);
  assert.match(err, /^gridkeep: .*\n$/, 'one line');
  assert.ok(err.includes(LOG), err);
  assert.match(err, /commits|frame|moment|states|damaged/);
  await assertFound(data);
}

async function assertFound(data: string): Promise<void> {
  const { count } = await checkStore(data, () => undefined);
  assert.ok(count > 0, 'gridkeep check finds it');
}

/** Returns the notices about the recovery from the log. */
async function assertWhole(data: string, load: PairLoad): Promise<readonly string[]> {
  await using service = await InProcessGridkeep.start({ data, yaml: YAML });
  using client = new Client(service.port);
  assert.deepEqual(await load.findWrong(client), []);
  return notesOf(service);
}

function notesOf(process: Pick<GridkeepProcess, 'logLines'>): readonly string[] {
  return process.logLines
    .filter(({ event }) => event === 'store-recovered')
    .map(({ note }) => String(note));
}

describe('a log before its checkpoint', () => {
  const data = directory.join('fresh');
  const load = new PairLoad();
  let earlier: string;

  before(async () => {
    const process = await GridkeepProcess.start({ data, yaml: YAML });
    using client = new Client(process.port);
    await load.write(client, 60);
    earlier = copyOf(data);
    await load.write(client, 90);
    await process.kill();
  });

  it('is complete after kill -9 when nothing is damaged', async () => {
    const copy = copyOf(data);
    const { shown } = await checkStore(copy, () => undefined);
    assert.deepEqual(shown, []);
    assert.deepEqual(await assertWhole(copy, load), []);
  });

  for (const share of pickSize({ quick: [0.001, 0.98], short: [0.001, 0.15, 0.5, 0.98] })) {
    it(`is refused with a bit flipped at ${share * 100} % of it, and not changed`, async () => {
      const copy = copyOf(data);
      flipBit(join(copy, LOG), share);
      const [before, log] = [readFileSync(join(copy, DATA)), readFileSync(join(copy, LOG))];
      await assertRefused(copy);
      assert.ok(readFileSync(join(copy, DATA)).equals(before), 'the data file is as it was');
      assert.ok(readFileSync(join(copy, LOG)).equals(log), 'the log is as it was');
      flipBit(join(copy, LOG), share);
      assert.deepEqual(await assertWhole(copy, load), [], 'with the right log all is there');
    });
  }

  it('is refused when it was removed', async () => {
    const copy = copyOf(data);
    rmSync(join(copy, LOG));
    await assertRefused(copy, GridkeepProcess);
  });

  it('is refused when everything beside the data file was removed', async () => {
    const copy = copyOf(data);
    for (const ending of ['-wal', '-shm', '-mark']) rmSync(join(copy, `${DATA}${ending}`));
    await assertRefused(copy);
  });

  it('is refused when it was emptied or truncated', async () => {
    for (const share of pickSize({ quick: [0, 0.9], short: [0, 0.3, 0.9] })) {
      const copy = copyOf(data);
      truncateSync(join(copy, LOG), Math.floor(statSync(join(data, LOG)).size * share));
      await assertRefused(copy);
    }
  });

  it('is refused when an older copy of it was put back', async () => {
    const copy = copyOf(data);
    copyFileSync(join(earlier, LOG), join(copy, LOG));
    await assertRefused(copy);
  });
});

describe('a log after its checkpoint', () => {
  const data = directory.join('copied');
  const load = new PairLoad();

  before(async () => {
    const process = await GridkeepProcess.start({ data, yaml: YAML });
    using client = new Client(process.port);
    await load.write(client, PAIRS);
    await load.write(client, 4, 1_000_000);
    // The log is checkpointed after a second without writes.
    await untilCheckpointed(data);
    await process.kill();
  });

  it('loses nothing when it is not damaged', async () => {
    assert.deepEqual(await assertWhole(copyOf(data), load), []);
  });

  for (const share of pickSize({ quick: [0.5], short: [0.02, 0.5, 0.98] })) {
    it(`loses nothing with a bit flipped at ${share * 100} % of it`, async () => {
      const copy = copyOf(data);
      flipBit(join(copy, LOG), share);
      await assertFound(copy);
      const [note = ''] = await assertWhole(copy, load);
      assert.match(note, /gridkeep\.db-wal was damaged, and dropped/);
    });
  }
});

async function untilCheckpointed(data: string): Promise<void> {
  while (readMark(join(data, `${DATA}-mark`))?.checkpointed === undefined) await delay(10);
}

/** The start is refused, or all commits are there. */
async function assertWholeOrRefused(data: string, load: PairLoad): Promise<void> {
  const { code } = await InProcessGridkeep.refuse({ data: copyOf(data), yaml: YAML });
  if (code !== 1) await assertWhole(data, load);
}

describe('a loss that its owner accepts', () => {
  it('is reported, and the store continues without using a version twice', async () => {
    const data = directory.join('accepted');
    const load = new PairLoad();
    const first = await InProcessGridkeep.start({ data, yaml: YAML });
    using client = new Client(first.port);
    await load.write(client, 20);
    await first.stop();
    const kept = new PairLoad();
    for (const [pair, generation] of load.acknowledged) kept.acknowledged.set(pair, generation);
    const second = await GridkeepProcess.start({ data, yaml: YAML });
    using later = new Client(second.port);
    for (let n = 0; n < 15; n += 1) await later.put(`/pairs/later${n}`, '{}');
    const lastVersion = await versionOf(later, 'later14');
    await second.kill();
    rmSync(join(data, LOG));
    await assertRefused(data);

    const { code, err, out } = await runCommand('accept-loss', '--data', data);
    assert.equal(code, 0, err);
    assert.match(out, /^accepted: .*gridkeep\.db-wal .*commits \d+ to \d+ are missing.*\n/);
    const { shown } = await checkStore(data, () => undefined);
    assert.deepEqual(shown, []);
    await using third = await InProcessGridkeep.start({ data, yaml: YAML });
    using last = new Client(third.port);
    assert.deepEqual(await kept.findWrong(last), []);
    await last.put('/pairs/new', '{}');
    assert.ok((await versionOf(last, 'new')) > lastVersion, 'versions are not used twice');
    await third.stop();
    assert.match((await runCommand('accept-loss', '--data', data)).out, /nothing is missing/);
  });

  it('is refused while a server runs', async () => {
    const data = directory.join('accepted-running');
    await using _ = await GridkeepProcess.start({ data, yaml: YAML });
    const { code, err } = await runCommand('accept-loss', '--data', data);
    assert.deepEqual([code, err], [1, `gridkeep: Another server is using ${data}\n`]);
  });

  it('is accepted too where the log was replayed over a newer data file', async () => {
    const data = directory.join('accepted-torn');
    const load = new PairLoad();
    const first = await InProcessGridkeep.start({ data, yaml: YAML });
    using client = new Client(first.port);
    await load.write(client, PAIRS);
    const early = readFileSync(join(data, LOG));
    await load.write(client, PAIRS);
    await first.stop();
    // The data file has all commits, and the log beside it is an early one.
    writeFileSync(join(data, LOG), early);
    await assertRefused(data);
    const copy = copyOf(data);
    rmSync(join(copy, LOG));
    assert.deepEqual(await assertWhole(copy, load), [], 'without that log all is there');
    assert.equal((await runCommand('accept-loss', '--data', data)).code, 0);
    const { shown } = await checkStore(data, () => undefined);
    assert.deepEqual(shown, []);
    const second = await InProcessGridkeep.start({ data, yaml: YAML });
    assert.equal((await second.stop()).code, 0);
  });
});

async function versionOf(client: Client, key: string): Promise<number> {
  const { headers } = await client.get(`/pairs/${key}`);
  return Number(String(headers['etag']).replaceAll('"', ''));
}

function runCommand(...args: readonly string[]): Promise<CommandEnd> {
  return performCommand(args, { directory: directory.path }).finished;
}

describe('a log of durability relaxed', () => {
  it('may end early after a power cut; the missing commits are reported, and versions continue', async () => {
    const data = directory.join('relaxed');
    const load = new PairLoad();
    const flags = ['--durability', 'relaxed'];
    const first = await GridkeepProcess.start({ data, yaml: YAML, flags });
    using client = new Client(first.port);
    await load.write(client, PAIRS);
    const lastVersion = await versionOf(client, `a${PAIRS - 1}`);
    await first.kill();
    // Like after a power cut: a part that was not synced is missing, and later parts are there.
    flipBit(join(data, LOG), 0.5);
    await using second = await InProcessGridkeep.start({ data, yaml: YAML, flags });
    using later = new Client(second.port);
    const notes = notesOf(second);
    assert.equal(notes.length, 1);
    assert.match(notes[0] ?? '', new RegExp(`commits \\d+ to ${lastVersion} are missing`));
    await later.put('/pairs/new', '{}');
    assert.ok((await versionOf(later, 'new')) > lastVersion, 'versions are not used twice');
  });

  it('loses nothing when the process is killed', async () => {
    const data = directory.join('relaxed-killed');
    const load = new PairLoad();
    const flags = ['--durability', 'relaxed'];
    const first = await GridkeepProcess.start({ data, yaml: YAML, flags });
    using client = new Client(first.port);
    await load.write(client, PAIRS);
    await first.kill();
    assert.deepEqual(await assertWhole(data, load), []);
  });
});

describe('a page of the data file with older contents', () => {
  /** Checks each page with `gridkeep check`, and some of them with a start too. */
  const EVERY = pickSize({ quick: 6, short: 1 });

  it('is found by gridkeep check, and by a start after a crash or of a small store', async () => {
    const data = directory.join('pages');
    const load = new PairLoad();
    const first = await InProcessGridkeep.start({ data, yaml: YAML });
    using client = new Client(first.port);
    await load.write(client, 2 * PAIRS, 200);
    await first.stop();
    const older = readFileSync(join(data, DATA));
    const second = await InProcessGridkeep.start({ data, yaml: YAML });
    using later = new Client(second.port);
    await load.write(later, PAIRS, 200);
    await second.stop();
    const newer = readFileSync(join(data, DATA));
    const pages = Math.min(older.length, newer.length) / 4096;
    const changed = Array.from({ length: pages }, (_, page) => page).filter(
      (page) => !samePage(older, newer, page),
    );
    assert.ok(changed.length > 3, `${changed.length} pages changed`);
    const outputs: string[] = [];
    for (const [at, page] of changed.entries()) {
      const copy = copyOf(data);
      const bytes = Buffer.from(newer);
      older.copy(bytes, page * 4096, page * 4096, (page + 1) * 4096);
      writeFileSync(join(copy, DATA), bytes);
      await assertFound(copy);
      if (at % EVERY !== 0 && !(await hasStatedCounts(copyOf(copy)))) continue;
      const { code, err } = await InProcessGridkeep.refuse({ data: copy, yaml: YAML });
      assert.equal(code, 1, `page ${page}: ${err}`);
      assert.ok(err.includes(DATA), err);
      // If the tree of the region is broken too, only a backup helps.
      const { out } = await runCommand('accept-loss', '--data', copy);
      assert.doesNotMatch(out, /(\d+) entries instead of \1\b/);
      outputs.push(out);
    }
    assert.match(
      outputs.join(''),
      /region pairs: \d+ entries, as many as stated, but not the same ones/,
    );
  });
});

/** Whether accepting the loss would find as many entries as the regions state. */
async function hasStatedCounts(data: string): Promise<boolean> {
  // If the tree of the region is broken, no loss can be accepted.
  const outcome = await acceptLoss(data).catch(() => undefined);
  return (
    outcome?.kind === 'accepted' &&
    outcome.loss.regions.some(({ entryCount, stated }) => entryCount === stated)
  );
}

function samePage(a: Buffer, b: Buffer, page: number): boolean {
  const [from, to] = [page * 4096, (page + 1) * 4096];
  return a.subarray(from, to).equals(b.subarray(from, to));
}

describe('the log of a running service', () => {
  const DAMAGES: Readonly<Record<string, (log: string) => void>> = {
    removed: (log) => rmSync(log),
    'moved away': (log) => renameSync(log, `${log}.away`),
    replaced: (log) => {
      copyFileSync(log, `${log}.copy`);
      renameSync(`${log}.copy`, log);
    },
    emptied: (log) => truncateSync(log, 0),
    cut: (log) => truncateSync(log, 5000),
  };
  // A log that was moved away is missing like a removed one, and an emptied one ends early like a cut one.
  const names = pickSize({
    quick: ['removed', 'replaced', 'cut'],
    short: Object.keys(DAMAGES),
  });
  for (const name of names) {
    it(`stops writes when it is ${name}, and nothing is lost silently`, async () => {
      const data = directory.join(`running-${name}`);
      const load = new PairLoad();
      await using process = await GridkeepProcess.start({ data, yaml: YAML });
      using client = new Client(process.port);
      await load.write(client, 60);
      DAMAGES[name]?.(join(data, LOG));
      for (let n = 0; n < 5; n += 1) {
        const reply = await client.put('/pairs/later', '{}');
        assert.equal(reply?.status, 500);
        assert.equal(codeOf(reply), 'engine/store-damaged');
        assert.ok(reply?.text.includes(LOG), reply?.text);
      }
      const ready = await client.sendTo('GET', '/readyz');
      const { cause } = JSON.parse(ready?.text ?? '{}') as { cause: string };
      assert.equal(cause.split('is damaged').length, 2, `said once: ${cause}`);
      await process.kill();
      rmSync(join(data, `${LOG}.away`), { force: true });
      await assertWholeOrRefused(data, load);
    });
  }

  it('is checkpointed when it only lost its name', async () => {
    const data = directory.join('running-saved');
    const load = new PairLoad();
    await using process = await GridkeepProcess.start({ data, yaml: YAML });
    using client = new Client(process.port);
    await load.write(client, 60);
    rmSync(join(data, LOG));
    assert.notEqual((await client.put('/pairs/later', '{}'))?.status, 200);
    await process.kill();
    await assertWhole(data, load);
  });

  it('ends the process when its index is cut, and nothing is lost', async () => {
    const data = directory.join('running-index-cut');
    const load = new PairLoad();
    await using process = await GridkeepProcess.start({ data, yaml: YAML });
    using client = new Client(process.port);
    await load.write(client, 60);
    // SQLite maps the index into memory: its next access is a fault (SIGBUS).
    truncateSync(join(data, 'gridkeep.db-shm'), 0);
    assert.notEqual((await client.put('/pairs/later', '{}'))?.status, 200);
    assert.notEqual((await process.finished).code, 0);
    await assertWhole(data, load);
  });
});
