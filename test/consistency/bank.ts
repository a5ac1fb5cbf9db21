// C2: amounts are moved between accounts by multi-key REPLACE. A reader of several accounts finds the
// same total with every kind of read, while the service is sometimes killed.

import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../../src/sample/random.ts';
import type { Reply } from '../faults/client.ts';
import { type BreakableService, openService } from './killed-service.ts';

export interface BankOptions {
  /** The data directory of a service, or an existing service with a region `accounts`. */
  readonly data: string;
  readonly service?: BreakableService;
  readonly seed: number;
  readonly transfers: number;
  readonly kills: number;
  /** Number of readers for each kind of read. */
  readonly readers: number;
  /** The control: every account is written separately. */
  readonly isSplit?: boolean;
}

export interface BankFigures {
  readonly transfers: number;
  readonly reads: number;
  /** Wrong totals, with the kind of read. */
  readonly wrong: readonly string[];
}

export const REGION = 'accounts';
const START = 100;
/** Each group has one writer, so that no transfer overwrites another. */
const GROUPS = [
  ['k1', 'k2', 'k3', 'k4'],
  ['k5', 'k6', 'k7', 'k8'],
] as const;
const KEYS = GROUPS.flat();
const TOTAL = START * KEYS.length;
/** A longer outage fails the test. */
const RECOVERY_MS = 60_000;
/** Pause before a retry; without it clients would keep the service from starting. */
const RETRY_MS = 5;

const READ_KINDS: readonly { readonly name: string; readonly path: string }[] = [
  { name: 'keys', path: `/${REGION}/${KEYS.join(',')}` },
  { name: 'limit=ALL', path: `/${REGION}?limit=ALL` },
  {
    name: 'SUM',
    path: `/queries/adhoc?q=${encodeURIComponent(`SELECT SUM(a.n) FROM /${REGION} a`)}`,
  },
];

export async function runBank(options: BankOptions): Promise<BankFigures> {
  const service = options.service ?? (await openService({ ...options, region: REGION }));
  const random = createRandom(options.seed);
  const killAt = Array.from({ length: options.kills }, () =>
    random.between(1, options.transfers - 1),
  );
  const wrong: string[] = [];
  let transfers = 0;
  let reads = 0;
  let working: number = GROUPS.length;
  const send = (...args: Parameters<BreakableService['send']>): Promise<Reply> =>
    untilAnswered(() => service.send(...args));

  const transfer = async (group: readonly string[]): Promise<void> => {
    const from = random.between(0, 3);
    const keys = [group[from] ?? '', group[(from + random.between(1, 3)) % 4] ?? ''];
    const amounts = amountsIn(await send('GET', `/${REGION}/${keys.join(',')}`));
    const [a = 0, b = 0] = amounts ?? [];
    const moved = random.between(1, 30);
    const values = [`{"n":${a - moved}}`, `{"n":${b + moved}}`];
    // An unknown outcome does no harm, because the same amounts are written again.
    const writes: readonly (readonly [string, string])[] =
      options.isSplit === true
        ? keys.map((key, i) => [key, values[i] ?? ''])
        : [[keys.join(','), `[${values.join(',')}]`]];
    for (const [path, body] of writes) {
      const reply = await send('PUT', `/${REGION}/${path}?op=REPLACE`, body);
      if (reply?.status !== 200) wrong.push(`a transfer was answered ${reply?.status}`);
    }
  };
  const write = async (group: readonly string[]): Promise<void> => {
    while (transfers < options.transfers) {
      transfers += 1;
      const isKill = killAt.includes(transfers);
      await transfer(group);
      if (isKill) await service.restart();
    }
    working -= 1;
  };
  const read = async ({ name, path }: (typeof READ_KINDS)[number]): Promise<void> => {
    do {
      const reply = await send('GET', path);
      const total = amountsIn(reply)?.reduce((sum, n) => sum + n, 0);
      reads += 1;
      if (total !== TOTAL) wrong.push(`${name}: ${total ?? reply?.text}`);
    } while (working > 0);
  };
  try {
    const body = `[${KEYS.map(() => `{"n":${START}}`).join(',')}]`;
    await send('PUT', `/${REGION}/${KEYS.join(',')}`, body);
    const readers = Array.from({ length: options.readers }, () => READ_KINDS.map(read)).flat();
    await Promise.all([...GROUPS.map(write), ...readers]);
  } finally {
    await service.end();
  }
  return { transfers, reads, wrong };
}

/** Repeats a request while the service is down or reports an unknown outcome. */
async function untilAnswered(send: () => Promise<Reply>): Promise<Reply> {
  const deadline = performance.now() + RECOVERY_MS;
  for (;;) {
    const reply = await send();
    const isOpen = reply === undefined || reply.status === 503 || isOutcomeUnknown(reply);
    if (!isOpen) return reply;
    if (performance.now() > deadline) throw new Error('the service does not come back');
    await delay(RETRY_MS);
  }
}

function isOutcomeUnknown({ status, text }: NonNullable<Reply>): boolean {
  return status === 500 && text.includes('engine/outcome-unknown');
}

function amountsIn(reply: Reply): readonly number[] | undefined {
  if (reply?.status !== 200) return undefined;
  const found = JSON.parse(reply.text);
  if (Array.isArray(found)) return found; // the sum
  return found[REGION].map(({ n }: { readonly n: number }) => n);
}
