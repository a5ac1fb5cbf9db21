// C2: amounts are moved between accounts by multi-key REPLACE; whoever reads
// several accounts at once, by any way, always finds the same total.

import { createRandom } from '../../src/sample/random.ts';
import { Client, type Reply } from '../faults/client.ts';
import { GridkeepProcess } from '../faults/gridkeep-process.ts';

export interface BankOptions {
  readonly data: string;
  readonly seed: number;
  readonly transfers: number;
  readonly kills: number;
  /** The control: every account is written by itself. */
  readonly isSplit?: boolean;
}

export interface BankFigures {
  readonly transfers: number;
  readonly reads: number;
  /** Totals other than the right one, with the way they were read. */
  readonly wrong: readonly string[];
}

const REGION = 'accounts';
const START = 100;
/** Each group has one writer, so no transfer overwrites another's. */
const GROUPS = [
  ['k1', 'k2', 'k3', 'k4'],
  ['k5', 'k6', 'k7', 'k8'],
] as const;
const KEYS = GROUPS.flat();
const TOTAL = START * KEYS.length;

const WAYS: readonly { readonly name: string; readonly path: string }[] = [
  { name: 'keys', path: `/${REGION}/${KEYS.join(',')}` },
  { name: 'limit=ALL', path: `/${REGION}?limit=ALL` },
  {
    name: 'SUM',
    path: `/queries/adhoc?q=${encodeURIComponent(`SELECT SUM(a.n) FROM /${REGION} a`)}`,
  },
];

export async function runBank(options: BankOptions): Promise<BankFigures> {
  const random = createRandom(options.seed);
  const wrong: string[] = [];
  let transfers = 0;
  let reads = 0;
  const phases = options.kills + 1;
  for (let phase = 0; phase < phases; phase += 1) {
    await using process = await GridkeepProcess.start({
      data: options.data,
      yaml: `regions: [{ name: ${REGION} }]\n`,
    });
    using client = new Client(process.port);
    if (phase === 0) {
      const body = `[${KEYS.map(() => `{"n":${START}}`).join(',')}]`;
      await client.require('PUT', `/${REGION}/${KEYS.join(',')}`, { body });
    }
    const goal = transfers + Math.ceil(options.transfers / phases);
    let working: number = GROUPS.length;
    const write = async (group: readonly string[]): Promise<void> => {
      for (; transfers < goal; transfers += 1) {
        const from = random.between(0, 3);
        const keys = [group[from] ?? '', group[(from + random.between(1, 3)) % 4] ?? ''];
        const amounts = amountsIn(await client.send('GET', `/${REGION}/${keys.join(',')}`));
        if (amounts === undefined) break;
        const moved = random.between(1, 30);
        const [a = 0, b = 0] = amounts;
        const values = [`{"n":${a - moved}}`, `{"n":${b + moved}}`];
        const reply =
          options.isSplit === true
            ? await writeEach(client, keys, values)
            : await client.put(`/${REGION}/${keys.join(',')}?op=REPLACE`, `[${values.join(',')}]`);
        if (reply === undefined) break;
        if (reply.status !== 200) wrong.push(`a transfer was answered ${reply.status}`);
      }
      working -= 1;
      if (phase < options.kills) process.signal('SIGKILL');
    };
    const read = async ({ name, path }: (typeof WAYS)[number]): Promise<void> => {
      do {
        const reply = await client.send('GET', path);
        if (reply === undefined) return;
        const total = amountsIn(reply)?.reduce((sum, n) => sum + n, 0);
        reads += 1;
        if (total !== TOTAL) wrong.push(`${name}: ${total ?? reply.text}`);
      } while (working > 0);
    };
    await Promise.all([...GROUPS.map(write), ...WAYS.map(read), ...WAYS.map(read)]);
  }
  return { transfers, reads, wrong };
}

async function writeEach(
  client: Client,
  keys: readonly string[],
  values: readonly string[],
): Promise<Reply> {
  let last: Reply;
  for (const [i, key] of keys.entries()) {
    last = await client.put(`/${REGION}/${key}?op=REPLACE`, values[i] ?? '');
  }
  return last;
}

function amountsIn(reply: Reply): readonly number[] | undefined {
  if (reply?.status !== 200) return undefined;
  const found = JSON.parse(reply.text);
  if (Array.isArray(found)) return found; // the sum
  return found[REGION].map(({ n }: { readonly n: number }) => n);
}
