// F6: mutated copies of a sound data file. The service refuses to start and names the file, or every
// answer is right or an error.

import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGE_BYTES } from '../../src/engine/sqlite/schema.ts';
import { createRandom, type Random } from '../../src/sample/random.ts';
import { Client } from './client.ts';
import { InProcessGridkeep } from './in-process-gridkeep.ts';

const FILE = 'gridkeep.db';
const ENTRIES = 900;
const YAML = 'regions: [{ name: orders }, { name: others }]\n';
const AT_ONCE = 2;

interface Damage {
  readonly name: string;
  readonly apply: (file: Buffer, random: Random) => Buffer;
}

const DAMAGES: readonly Damage[] = [
  { name: 'a flipped bit', apply: flipBit },
  { name: 'zero length', apply: (file) => file.subarray(0, 0) },
  { name: 'a zeroed header', apply: (file) => file.fill(0, 0, 100) },
  { name: 'cut short', apply: (file, random) => file.subarray(0, random.between(1, file.length)) },
  { name: 'a page of garbage', apply: (file, random) => fillPage(file, random, 0xa5) },
  { name: 'a flipped bit', apply: flipBit },
  { name: 'a page of zeroes', apply: (file, random) => fillPage(file, random, 0) },
  { name: 'pages swapped', apply: swapPages },
  { name: 'cut at a page', apply: cutAtPage },
  { name: 'ten flipped bits', apply: (file, random) => flipBits(file, random, 10) },
  { name: 'a zeroed first page', apply: (file) => file.fill(0, 0, PAGE_BYTES) },
  { name: 'a flipped bit', apply: flipBit },
];

export interface DamageFigures {
  readonly files: number;
  readonly refused: number;
  /** Served with only right answers. */
  readonly right: number;
  /** Served with right answers and errors. */
  readonly failedOpenly: number;
  readonly wrong: readonly string[];
}

/** Every request with its right answer. */
type Answers = ReadonlyMap<string, string>;

export interface Golden {
  readonly directory: string;
  readonly answers: Answers;
}

/** Creates a store with all kinds of data, stopped cleanly. */
export async function makeGolden(directory: string): Promise<Golden> {
  await using service = await InProcessGridkeep.start({ data: directory, yaml: YAML });
  using client = new Client(service.port);
  const numbers = Array.from({ length: ENTRIES }, (_, i) => (i * 77) % ENTRIES);
  for (let at = 0; at < ENTRIES; at += 300) {
    const some = numbers.slice(at, at + 300);
    const body = `[${some.map(valueFor).join(',')}]`;
    await client.require('PUT', `/orders?keys=${some.map(keyOf).join(',')}`, { body });
  }
  await client.require('PUT', '/others/a,b', { body: '[{"n":1},{"n":2}]' });
  await client.require('DELETE', `/orders/${keyOf(7)}`);
  const text = encodeURIComponent('SELECT o.i FROM /orders o WHERE o.i < $1');
  await client.require('POST', `/queries?id=some&q=${text}`);
  const answers = new Map<string, string>();
  for (const question of QUESTIONS) answers.set(question, await ask(client, question));
  return { directory, answers };
}

export async function runDamage(
  golden: Golden,
  options: {
    readonly files: number;
    readonly seed: number;
    readonly into: string;
    readonly onFile?: (done: number) => void;
  },
): Promise<DamageFigures> {
  const figures = { files: options.files, refused: 0, right: 0, failedOpenly: 0 };
  const wrong: string[] = [];
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let n = next++; n < options.files; n = next++) {
      // Each file has its own random numbers, so that it can be reproduced alone.
      const random = createRandom(options.seed + n);
      const damage = DAMAGES[n % DAMAGES.length] as Damage; // the index is below the length
      const data = join(options.into, `copy-${n}`);
      cpSync(golden.directory, data, { recursive: true });
      const file = join(data, FILE);
      writeFileSync(file, damage.apply(readFileSync(file), random));
      const outcome = await tryStore(data, golden.answers);
      if (outcome.kind === 'wrong') {
        wrong.push(`file ${n} of seed ${options.seed} (${damage.name}): ${outcome.what}`);
      } else figures[outcome.kind] += 1;
      done += 1;
      options.onFile?.(done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { ...figures, wrong };
}

type Outcome =
  | { readonly kind: 'refused' | 'right' | 'failedOpenly' }
  | { readonly kind: 'wrong'; readonly what: string };

/** Starts the service on it and sends every request; a crash fails the test. */
export async function tryStore(data: string, answers: Answers): Promise<Outcome> {
  if (!existsSync(join(data, FILE))) throw new Error(`no ${FILE} in ${data}`);
  let service: InProcessGridkeep;
  try {
    service = await InProcessGridkeep.start({ data });
  } catch (error) {
    const message = String(error);
    return message.includes(FILE) && !message.includes('    at ')
      ? { kind: 'refused' }
      : { kind: 'wrong', what: `it ended without naming the file: ${message}` };
  }
  await using _ = service;
  using client = new Client(service.port);
  let failures = 0;
  for (const [question, right] of answers) {
    const answer = await ask(client, question);
    if (answer === right) continue;
    if (answer !== FAILED) return { kind: 'wrong', what: `${question}: ${answer.slice(0, 200)}` };
    failures += 1;
  }
  return { kind: failures === 0 ? 'right' : 'failedOpenly' };
}

const FAILED = 'failed openly';
const QUESTIONS: readonly string[] = [
  'GET ',
  'GET /orders?limit=ALL',
  'HEAD /orders',
  'GET /orders/keys',
  'GET /others?limit=ALL',
  'GET /queries',
  `GET /queries/adhoc?q=${encodeURIComponent('SELECT COUNT(*), SUM(o.i) FROM /orders o')}`,
  ...Array.from({ length: ENTRIES / 100 }, (_, i) => `GET /orders/${keyOf(i * 100 + 3)}`),
  `GET /orders/${keyOf(7)}`,
  `GET /orders?keys=${Array.from({ length: 400 }, (_, i) => keyOf(i * 2)).join(',')}`,
];

async function ask(client: Client, question: string): Promise<string> {
  const [method = '', path = ''] = question.split(' ');
  const reply = await client.send(method, path);
  // An interrupted answer counts as an error, for the client sees that it is incomplete.
  if (reply === undefined || reply.status === 500) return FAILED;
  return `${reply.status} ${reply.headers['resource-count'] ?? ''} ${reply.text}`;
}

function keyOf(i: number): string {
  return `order-${String(i).padStart(5, '0')}`;
}

function valueFor(i: number): string {
  return JSON.stringify({ i, text: `text of ${i} `.repeat(1 + (i % 40)) });
}

function flipBit(file: Buffer, random: Random): Buffer {
  return flipBits(file, random, 1);
}

function flipBits(file: Buffer, random: Random, count: number): Buffer {
  for (let n = 0; n < count; n += 1) {
    const at = random.between(0, file.length - 1);
    file[at] = (file[at] ?? 0) ^ (1 << random.between(0, 7));
  }
  return file;
}

function fillPage(file: Buffer, random: Random, byte: number): Buffer {
  const page = random.between(0, file.length / PAGE_BYTES - 1);
  return file.fill(byte, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
}

function swapPages(file: Buffer, random: Random): Buffer {
  const last = file.length / PAGE_BYTES - 1;
  const a = random.between(1, last) * PAGE_BYTES;
  const b = random.between(1, last) * PAGE_BYTES;
  const kept = Buffer.from(file.subarray(a, a + PAGE_BYTES));
  file.copy(file, a, b, b + PAGE_BYTES);
  kept.copy(file, b);
  return file;
}

function cutAtPage(file: Buffer, random: Random): Buffer {
  return file.subarray(0, random.between(1, file.length / PAGE_BYTES - 1) * PAGE_BYTES);
}
